"""What a soak found, in words, and whether that is good."""
import trend


def summary(soak, status, version):
    """Lines to print, and the exit status."""
    args = soak.args
    loaded = [s for s in soak.samples if s.phase == "load"]
    trends = trend.judge_samples(loaded)
    faults = [] if args.answers_only else trend.judge_rest(soak.before, soak.after)
    if status != 0:
        faults.append(f"the server ended with status {status} at SIGTERM")
    if soak.loaded < args.requests or soak.seconds < args.minutes * 60:
        faults.append(f"{soak.loaded} requests in {soak.seconds / 60:.1f} minutes, when {args.at_most:g} were over")
    for kind, count in soak.wrong.items():
        faults.append(f"{kind}: {count} went wrong, the first: {soak.examples[kind]}")
    cpu = loaded[-1].cpu_seconds - loaded[0].cpu_seconds if loaded else 0
    lines = [version, f"flags: {' '.join(args.flags)}",
             f"{soak.loaded} requests of {args.clients} clients in {soak.seconds / 60:.1f} minutes, after "
             f"{args.warm_up:g} minutes of warm-up; {cpu:.0f} processor seconds of the server; {len(loaded)} samples"]
    lines += [f"  {count:7}  {kind}" for kind, count in sorted(soak.counts.items(), key=lambda c: -c[1])]
    for one in trends:
        lines.append(one.line(1 << 20, 1) if "MiB" in one.name else one.line())
    resident = trends[0]
    if resident.verdict != "undecided" and soak.loaded:
        lines.append(f"a leak of {resident.limit / soak.loaded:.0f} bytes for each request would have been seen; "
                     f"the slope is {resident.growth / soak.loaded:+.1f}")
    for when, one in (("after the warm-up", soak.before), ("at the end", soak.after)):
        lines.append(f"at rest {when}: {one.resident / (1 << 20):.1f} MiB, {one.descriptors} descriptors, "
                     f"{one.threads} threads")
    lines += [f"WRONG: {fault}" for fault in faults]
    if args.answers_only:
        return lines + ["verdict: " + ("NOT RIGHT" if faults else "right; curves were not judged")], 1 if faults else 0
    verdicts = {one.verdict for one in trends}
    if "growing" in verdicts or faults:
        return lines + ["verdict: NOT FLAT, or not right"], 1
    if "undecided" in verdicts:
        return lines + [f"verdict: undecided: {trend.FEWEST_SAMPLES} samples under load are the fewest"], 2
    return lines + ["verdict: flat"], 0
