// A name in a std::string is UTF-8, as on other systems and as path::string() gives it. GCC's
// library makes a path of it by the C library's language, and the C library of Windows knows no
// language in UTF-8: letters other than English ones became others. So the conversion stands here,
// which the linker finds before GCC's own; no wide stream, whose it is too, is in these programs.
#include <codecvt>
#include <locale>

namespace {
const std::codecvt_utf8_utf16<wchar_t>& utf8() {
  static const std::codecvt_utf8_utf16<wchar_t> conversion(1);  // never destroyed by a locale
  return conversion;
}
}  // namespace

namespace std {

using WideConversion = codecvt<wchar_t, char, mbstate_t>;

codecvt_base::result WideConversion::do_out(state_type& state, const intern_type* from,
                                            const intern_type* from_end,
                                            const intern_type*& from_next, extern_type* to,
                                            extern_type* to_end, extern_type*& to_next) const {
  return utf8().out(state, from, from_end, from_next, to, to_end, to_next);
}

codecvt_base::result WideConversion::do_in(state_type& state, const extern_type* from,
                                           const extern_type* from_end,
                                           const extern_type*& from_next, intern_type* to,
                                           intern_type* to_end, intern_type*& to_next) const {
  return utf8().in(state, from, from_end, from_next, to, to_end, to_next);
}

int WideConversion::do_encoding() const throw() { return utf8().encoding(); }

int WideConversion::do_length(state_type& state, const extern_type* from,
                              const extern_type* from_end, size_t most) const {
  return utf8().length(state, from, from_end, most);
}

int WideConversion::do_max_length() const throw() { return utf8().max_length(); }

}  // namespace std
