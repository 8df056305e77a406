// Before the first paint, so that no wrong colours flash up.
try {
  const theme = JSON.parse(localStorage.getItem("pleiad.theme") ?? '"system"');
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is shut: the system's colours.
}
