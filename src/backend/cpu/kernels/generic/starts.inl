// How the sum of a group's products begins, where these are added to 32 bits.
using Start = Ints;

// What is kept for it of the integers of 16 or 32 columns, 16 of them in a lane each.
inline std::int32_t minus_sum(Ints x) { return -x.sum(); }
