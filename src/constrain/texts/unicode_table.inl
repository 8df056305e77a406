// Made by tools/structured_output/unicode_properties.py of Unicode 14.0.0.
// clang-format off
// Runs of characters with one category, from U+0000: how many (none: one), and a letter for which.
constexpr std::string_view kCategoryRuns =
    "32zw3rt3rnorsrm2r10i2r3s2r26anroulu26bnsos33zwr4tvruvepsAvuvs2kub2rukeq3kr23as7a24bs8bababab"
    "ababababababababababababababababababababababababa2babababababababa2babababababababababababab"
    "ababababababababababab2ababa3b2abab2ab3a2b4ab2ab3a3b2ab2ababab2aba2bab2ab3abab2a2bea3b4eacba"
    "cbacbabababababababa2bababababababababa2bacbab3ababababababababababababababababababababababa"
    "bababababababa7b2ab2a2bab4ababababa69be27b18d4u12d14u5d7udud17u112fababduab2Dd3bra4D2uar3aDa"
    "D2ab17aD9a35ba2b3a3babababababababababababa5babsab2a2b51a48babababababababababababababababab"
    "abv5f2hababababababababababababababababababababababababababab2ababababababa2babababababababa"
    "bababababababababababababababababababababababababababababababababababababababababD38a2Dd6r41"
    "brm2D2vtD45fmfr2fr2frf8D27e4D4e2r11D6A3s2rt2r2v11frA3r32ed10e21f10i4r2ef99ere7fAv6f2d2fv4f2e"
    "10i3e2ve14rDAef30e27f2D89e11fe14D10i33e9f2dv3rd2Df2t22e4fd9fd3fd5f2D15rD25e3f2DrD11e5D24eu6e"
    "D2A6D8f41ed24fA32fg54efgfe3g8f4gf2ge7f10e2f2r10ird15ef2gD8e2D2e2D22eD7eDe3D4e2Dfe3g4f2D2g2D2"
    "gfe8Dg4D2eD3e2f2D10i2e2t6kvterf2D2fgD6e4D2e2D22eD7eD2eD2eD2e2DfD3g2f4D2f2D3f3Df7D4eDe7D10i2f"
    "3efr10D2fgD9eD3eD22eD7eD2eD5e2Dfe3g5fD2fgD2gf2De15D2e2f2D10irt7De6fDf2gD8e2D2e2D22eD7eD2eD5e"
    "2Dfegfg4f2D2g2D2gf7D2fg4D2eD3e2f2D10ive6k10DfeD6e3D3eD4e3D2eDeD2e3D2e3D3e3D12e4D2gf2g3D3gD3g"
    "f2De6Dg14D10i3k6vtv5Df3gf8eD3eD23eD16e2Dfe3f4gD3fD4f7D2fD3e2De2D2e2f2D10i7Dr7kvef2gr8eD3eD23"
    "eD10eD5e2Dfegf5gDf2gD2g2f7D2g6D2eD2e2f2D10iD2e13D2f2g9eD3eD41e2fe3g4fD3gD3gfev4D3eg7k3e2f2D1"
    "0i9kv6eDf2gD18e3D24eD9eDe2D7e3Df4D3g3fDfD8g6D10i2D2gr12D48ef2e7f4Dt6ed8fr10i2r37D2eDeD5eD24e"
    "DeD10ef2e9fe2D5eDdD6f2D10i2D4e32De3v15rvr3v2f6v10i10kvfvfvfnono2g8eD36e4D14fg5fr2f5e11fD36fD"
    "8vf6vD2v5r4v2r37D43e2g4fg6fg2f2g2fe10i6r6e2g2f4e3fe3g2e7g3e4f13ef2g2f6gfeg10i3gf2v38aDa5Da2D"
    "43brd3b329eD4e2D7eDeD4e2D41eD4e2D33eD4e2D7eDeD4e2D15eD57eD4e2D67e2D3f9r20k3D16e10v6D86a2D6b2"
    "Dm620evr17ew26eno3D75e3r3j8e7D18e3fg9D19e2fg2r9D18e2f12D13eD3eD2f12D52e2fg7f8gf2g11f3rd3rtef"
    "2D10i6D10k6D6rm4r3fAf10i6D35ed53e7D5e2f34efe5D70e10D31eD3f4g2f3g4D2gf6g3f4Dv3D2r10i30e2D5e11"
    "D44e4D26e6D10ik3D34v23e2f2gf2D2r53egfg7fDfgf2g8f6g10f2Df10i6D10i6D7rd6r2D14fh16f49D4fg47efg5"
    "fgf5gf2g8e3D10i7r10v9f9v2rD2fg30eg4f2g2fg3f2e10i44efg2f3gfg3f2g8D4r36e8g8f2g2f3D5r10i3D3e10i"
    "30e6d2r9b7D43a2D3a8r8D3fr13fg7f4ef6ef2eg2fe5D44b63d13bd34b37d64fabababababababababababababab"
    "abababababababababababababababababababababababababababababababababababababababababababababab"
    "ababababababababababababababa9bababababababababababababababababababababababababababababababa"
    "babababababababababababababababababa9b8a6b2D6a2D8b8a8b8a6b2D6a2D8bDaDaDaDa8b8a14b2D8b8c8b8c8"
    "b8c5bD2b4acub3u3bD2b4ac3u4b2D2b4aD3u8b5a3u2D3bD2b4ac2uD11w5A6m2rpqn2pqnp8rxy5Aw9rpq4r2l3rsno"
    "11rsrl10rw5AD10Akd2D6k3snod10k3snoD13d3D33t15D13f4hf3h12f15D2va4va2vb3a2b3abva2vs5a6vavavav4"
    "avb4ab4eb2v2b2a5sa4bvs2vbv16k35jab4jk2v4D5s5v2s4vs2vs2vs7vs31v2s2vsvs31v268s8vnono20v2s7vno8"
    "1vs30v25s40v6s69v25D11v21D60k78v22k183vs9vs54v8s111vs248vnonononononono30k44v5sno31snononono"
    "no16s256v131snonononononononononono63snono32sno258s48v21s2v6s39v2D32vD105v48a48bab3a2bababab"
    "4aba2ba6b2d3abababababababababababababababababababababababababababababababababababababababab"
    "abababababababababa2b6vabab3fab5D4rk2r38bDb5Db2D56e7Ddr14Df23e9D7eD7eD7eD7eD7eD7eD7eD7eD32f2"
    "rpqpq3rpqrpq9rm2rmrpq2rpqnononono5rd10r2m4rmrn13r2v3rnonononom34D26vD89v12D214v26D12v4Dw3rvd"
    "ejnonononono2vnonononomn2ov9j4f2gm5d2v3jder2vD86e2D2f2u2dem90er3de5D43eD94eD2v4k10v32e36v12D"
    "16e31vD10k30v8kv15k32v10k39v15k320v6592e64v21013ed1143e3D55v9D40e6d2r268ed3r16e10i2e20Dababa"
    "bababababababababababababababababababababef3hr10frdabababababababababababababab2d2f70e10j2f6"
    "r8D23u9d2uababababababa3babababababababababababababababababababababababababababababababd8bab"
    "ab2abababababd2uababeaba3babababababababababab5ab5abababababababab4abab5DabDbDbabab24D3dabe2"
    "db7ef3ef4ef23e2g2fg4vf3D6k2vtv6D52e4r8D2g50e16g2f8D2r10i6D18f6e3rer2ef10i28e8f2r23e11f2g11Dr"
    "29e3D3fg47ef2g4f2g2f3g13rDd10i4D2r5efd9e10i5eD41e6f2g2f2g2f9D3ef8efg2D10i2D4r16ed6e3vegfg50e"
    "fe3f2e2f5e2fefe24D2ed2r11eg2f2g2re2dgf10D6e2D6e2D6e9D7eD7eD43bu4d9bd2u4D80b35e2gf2gf2grgf2D1"
    "0i6D11172e12D23e4D49e4D2048B6400C366e2D106e38D7b12D5b5Def10es13eD5eDeD2eD2eD108e17u16D363eon"
    "16v64e2D54e7Dv32D12et3v16f7rnor6D16fr2m2lnononononononono2rno4r3l3rD4rmnonono3rsm3sDrt2r4D5e"
    "D135e2DAD3rt3rnorsrm2r10i2r3s2r26anroulu26bnsosnorno2r10ed45e2d31e3D6e2D6e2D6e2D3e3D2tsuv2tD"
    "v4s2v10D3A2v2D12eD26eD19eD2eD15e2D14e34D123e5D3r4D45k3D9v53j4k17v2k3vD13v3Dv47D45vf130D29e3D"
    "49e15Df27k4D32e4k9D20ej8ej5D38e5f5D30eDr36e4D8er5j42D40a40b78e2D10i6D36a4D36b4D40e8D52e11Dr1"
    "1aD15aD7aD2aD11bD15bD7bD2b67D311e9D22e10D8e24D6dD42dD9d69D6e2DeD44eD2e3De2D23eDr8k23e2v7k31e"
    "8D9k48D19eD2e5D5k22e6k3Dr26e5Dr64D56e4D2k2e16k2D46ke3fD2f5D4f4eD3eD29e2D3f4Df9k7D9r7D29e2kr2"
    "9e3k32D8ev28e2f4D5k7r9D54e3D7r22e2D8k19e5D8k18e7D4r12D7k80D73e55D51a13D51b7D6k36e4f8D10i294D"
    "31kD42eD2fm2D2e78D29e10ke8D22e11f4k5r22D18e4f4r38D21e7k20D23e9Dgfg53e15f7r4D20k10if2e2fe9D3f"
    "g45e3g4f2g2f2rA4rf10DA2D25e7D10i6D3f36e5fg8fD10i4re2ge8D35ef2re9D2fg48e3g9f2g4e4r4frgf10iere"
    "3rD20k11D18eD25e3g3f2gfg2f6rf65D7eDeD4eD15eD10er6D47ef3g8f5D10i6D2f2gD8e2D2e2D22eD7eD2eD5eD2"
    "fe2gf4g2D2g2D3g2De6Dg5D5e2g2D7f3D5f139D53e3g8f2g3fgf4e5r10i2rDrf3e30D48e3g6fgf4g2fg2f2ere8D1"
    "0i166D47e3g4f2D4g2fg2f23r4e2f34D48e3g8f2gfg2f3re11D10i6D13r19D43efgf2g6fgfer6D10i54D27e2D3f2"
    "g4fg5f4D10i2k3rv7e185D44e3g9fg2fr100D32a32b10i9k12D8e2De2D8eD2eD24e6gD2g2D2fgfegegf3r9D10i70"
    "D8e2D39e3g4f2D2f4gfereg27De10f40e6fge4f8rf8De6f2g3f46e13fg2f3re5r13D73e263D9eD37eg7fD6fgfe5r"
    "10D10i19k3D2r30e2D22fDg7fg2fg2f73D7eD2eD38e6f3DfD2fD7fef8D10i6D6eD2eD32e5gD2fD2gfgfe7D10i310"
    "D19e2f2g2r183De15D21k8v4t17v13Dr922e102D111jD5r11D196e2636D97e2r13D1071eD9A4039D583e8633D569"
    "e7D31eD10i4D2r79eD10i6D30e2D5fr10D48e7f5r4v4drv10D10iD7kD21e5D19e688D32a32b23k4r101D75e4Dfe5"
    "5g7D4f13d64D2drdf11D2g14D6136e8D1238e42D9e8935D4dD7dD2dD291e45D3e17D4e8D396e2308D107e5D13e3D"
    "9e7D10e2Dv2fr4A4700D46f2D23f9D116v60D246v10D39v2D60v2g3f3v6g8A8f2v7f30v4f61v21D66v3fv154D20k"
    "12D87v9D25k135D26a26b26a7bD18b26a26baD2a2Da2D2a2D4aD8a4bDbD7bD11b26a26b2aD4a2D8aD7aD26b2aD4a"
    "D5aDa3D7aD26b26a26b26a26b26a26b26a26b26a26b26a28b2D25as25bs6b25as25bs6b25as25bs6b25as25bs6b2"
    "5as25bs6bab2D50i512v55f4v50f8vf14vf2v5r15D5fD15f1104D10be20b225D7fD17f2D7fD2fD5f213D45e3D7f7"
    "d2D10i4Dev320D30ef17D44e4f10i5Dt1248D7eD4eD2eD15eD197e2D9k7f41D34a34b7fd4D10i4D2r785D59kv3kt"
    "4k76D45kv15k194D4eD27eD2eDe2DeD10eD4eDeDe6De4DeDeDeD3eD2eDe2DeDeDeDeDeD2eDe2D4eD7eD4eD4eDeD1"
    "0eD17e5D3eD5eD17e52D2s270D44v4D100v12D15v2D15vD15vD37v10D13k161v56D29v13D44v4D9v7D2v14D6v154"
    "D251v5u728v5D16v3D13v3D116v12D89v7D12v4Dv15D12v4D56v8D10v6D40v8D30v2D2v78D340v12D14v2D5v3D5v"
    "3D7v9D29v3D11v5D6v10D10v6D8v8D7v9D147vD55v37D10i1030D42720e32D4153e7D222e2D5762e14D7473e3103"
    "D542e1506D4939e715958DA30D96A128D240f65040D65534C2D65534C2D";
// How many characters, from U+0000, have it not, have it, have it not, ...
constexpr UnicodeSet kScripts[] = {
  {"Arabic", "Arab", "",
    "1536 5 1 6 1 14 1 3 1 32 1 10 11 26 1 108 1 34 80 48 240 31 1 2 6 74 1 29 62032 115 16 363 2"
    " 80 2 54 7 1 32 16 112 5 1 135 3939 31 57217 4 1 27 1 2 1 1 2 1 1 10 1 4 1 1 1 1 6 1 4 1 1 1"
    " 1 1 1 3 1 2 1 1 2 1 1 1 1 1 1 1 1 1 1 2 1 1 2 4 1 7 1 4 1 4 1 1 1 10 1 17 5 3 1 5 1 17 52 2"},
  {"Armenian", "Armn", "",
    "1329 38 2 50 2 3 62851 5"},
  {"Bengali", "Beng", "",
    "2432 4 1 8 2 2 2 22 1 7 1 1 3 4 2 9 2 2 2 4 8 1 4 2 1 5 2 25"},
  {"Bopomofo", "Bopo", "",
    "746 2 11801 43 112 32"},
  {"Cyrillic", "Cyrl", "",
    "1024 133 2 169 5968 9 162 1 76 1 4199 32 30784 96 22414 2"},
  {"Devanagari", "Deva", "",
    "2304 81 4 15 2 26 40800 32"},
  {"Ethiopic", "Ethi", "",
    "4608 73 1 4 2 7 1 1 1 4 2 41 1 4 2 33 1 4 2 7 1 1 1 4 2 15 1 57 1 4 2 67 2 32 3 26 6630 23 9"
    " 7 1 7 1 7 1 7 1 7 1 7 1 7 1 7 32034 6 2 6 2 6 9 7 1 7 81073 7 1 4 1 2 1 15"},
  {"Georgian", "Geor", "",
    "4256 38 1 1 5 1 2 43 1 4 2960 43 2 3 4160 38 1 1 5 1"},
  {"Greek", "Grek", "",
    "880 4 1 3 2 4 1 1 4 1 1 1 1 3 1 1 1 20 1 63 14 16 6438 5 50 5 4 5 84 1 320 22 2 6 2 38 2 6 2"
    " 8 1 1 1 1 1 1 1 31 2 53 1 15 1 14 2 6 1 19 2 3 1 9 295 1 35390 1 21978 79 17 1 53343 70"},
  {"Gujarati", "Gujr", "",
    "2689 3 1 9 1 3 1 22 1 7 1 2 1 5 2 10 1 3 1 3 2 1 15 4 2 12 7 7"},
  {"Gurmukhi", "Guru", "",
    "2561 3 1 6 4 2 2 22 1 7 1 2 1 2 1 2 2 1 1 5 4 2 2 3 3 1 7 4 1 1 7 17"},
  {"Han", "Hani", "",
    "11904 26 1 89 12 214 47 1 1 1 25 9 14 4 964 6592 64 20992 22784 366 2 106 29960 2 12 2 36878"
    " 42720 32 4153 7 222 2 5762 14 7473 3103 542 1506 4939"},
  {"Hangul", "Hang", "",
    "4352 256 7726 2 257 94 113 31 65 31 30433 29 643 11172 12 23 4 49 10148 31 3 6 2 6 2 6 2 3"},
  {"Hebrew", "Hebr", "",
    "1425 55 8 27 4 6 62760 26 1 5 1 1 1 2 1 2 1 10"},
  {"Hiragana", "Hira", "",
    "12353 86 6 3 98145 287 48 3 16557 1"},
  {"Kannada", "Knda", "",
    "3200 13 1 3 1 23 1 10 1 5 2 9 1 3 1 4 7 2 6 2 1 4 2 10 1 2"},
  {"Katakana", "Kana", "",
    "12449 90 2 3 240 16 208 47 1 88 52238 10 1 45 45138 4 1 7 1 2 1 1 287 3 65 4"},
  {"Khmer", "Khmr", "",
    "6016 94 2 10 6 10 486 32"},
  {"Lao", "Laoo", "",
    "3713 2 1 1 1 5 1 24 1 1 1 23 2 5 1 1 1 6 2 10 2 4"},
  {"Latin", "Latn", "",
    "65 26 6 26 47 1 15 1 5 23 1 31 1 449 39 5 6683 38 6 49 5 4 5 13 1 70 65 256 369 1 13 1 16 13"
    " 141 2 6 1 27 1 17 41 2775 32 31394 102 3 64 5 2 1 1 1 5 24 14 816 43 1 9 1 4 20374 7 1050 "
    "26 6 26 2085 6 1 42 1 9 55109 31"},
  {"Malayalam", "Mlym", "",
    "3328 13 1 3 1 51 1 3 1 6 4 16 2 26"},
  {"Mongolian", "Mong", "",
    "6144 2 2 1 1 20 6 89 7 43 64949 13"},
  {"Myanmar", "Mymr", "",
    "4096 160 39232 31 97 32"},
  {"Sinhala", "Sinh", "",
    "3457 3 1 18 3 24 1 9 1 1 2 7 3 1 4 6 1 1 1 8 6 10 2 3 66540 20"},
  {"Tamil", "Taml", "",
    "2946 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 12 4 5 3 3 1 4 2 1 6 1 14 21 70597 50 13 1"},
  {"Telugu", "Telu", "",
    "3072 13 1 3 1 23 1 16 2 9 1 3 1 4 7 2 1 3 2 1 2 4 2 10 7 9"},
  {"Thai", "Thai", "",
    "3585 58 5 28"},
  {"Tibetan", "Tibt", "",
    "3840 72 1 36 4 39 1 36 1 15 1 7 4 2"},
};
constexpr UnicodeSet kBinaryProperties[] = {
  {"Alphabetic", "Alpha", "abcdej",
    "837 1 618 14 1 1 1 2 1 2 1 1 72 11 48 13 1 7 16 1 101 7 4 4 2 2 4 1 35 1 30 16 102 11 101 2 "
    "3 9 1 3 1 4 167 12 3 7 6 20 54 2 2 15 1 2 5 3 10 2 29 3 58 7 2 2 2 2 10 1 10 2 29 3 58 5 4 2"
    " 2 2 4 1 30 2 3 1 11 3 58 8 1 3 1 2 21 2 22 3 4 3 58 7 2 2 2 2 9 2 10 2 30 1 59 5 3 3 1 3 10"
    " 1 40 4 58 7 1 3 1 3 8 2 11 2 29 3 58 7 1 3 1 3 8 2 11 2 28 4 58 7 1 3 1 3 10 1 10 2 29 3 75"
    " 6 1 1 1 8 18 2 61 1 2 7 18 1 99 1 2 6 1 2 16 1 163 17 11 11 1 36 110 12 1 1 2 4 23 4 4 3 1 "
    "3 2 7 3 4 13 12 1 1 10 4 1652 2 30 2 30 2 30 2 66 19 188 2 34 1 118 12 4 9 222 5 57 10 2 20 "
    "74 2 11 3 49 5 48 15 60 3 30 9 2 2 57 11 50 19 432 14 1729 52 2294 32 30836 8 34 2 354 1 8 1"
    " 23 5 88 2 50 16 1 1 57 1 38 5 28 12 45 4 48 12 37 1 67 14 12 1 8 2 45 3 50 1 1 3 2 2 5 1 44"
    " 5 5 1 237 8 20275 1 2135 5 1670 3 1 2 5 4 788 4 387 2 339 3 53 14 45 2 13 1 45 9 9 1 61 3 "
    "36 12 18 2 57 3 48 13 14 2 92 9 2 1 6 1 160 10 23 4 58 7 2 2 2 2 10 1 10 2 209 13 1 3 106 18"
    " 237 7 2 7 29 2 82 15 1 1 106 11 103 14 257 13 247 6 1 2 2 2 3 1 1 1 142 7 2 6 4 1 28 10 42 "
    "5 1 4 18 11 46 14 407 8 1 7 83 22 1 14 122 6 3 1 1 2 1 3 1 1 3 1 66 5 1 2 1 4 348 4 20568 1 "
    "1 55 7 4 93 2 19628 1 9057 7 1 17 2 7 1 2 1 5 2332 1 2024 26 6 26 6 26"},
  {"Lowercase", "Lower", "b",
    "170 1 15 1 501 9 7 2 30 5 96 1 52 1 6577 63 13 1 34 37 689 1 13 1 16 13 211 16 848 26 1938 2"
    " 31262 2 210 1 135 2 866 4 23584 1 2 3 1 42 1 9"},
  {"Uppercase", "Upper", "a",
    "8544 16 838 26 117856 26 6 26 6 26"},
  {"White_Space", "space", "wxy",
    "9 5 119 1"},
  {"Emoji", "Emoji", "",
    "35 1 6 1 5 10 111 1 4 1 8077 1 12 1 216 1 22 1 90 6 15 2 367 2 12 1 166 1 25 11 4 3 199 1 "
    "231 2 10 1 9 1 58 4 1 5 9 1 2 1 2 2 2 1 4 1 2 1 1 2 2 1 3 1 3 2 8 3 5 1 1 1 5 12 11 2 2 1 1 "
    "2 1 1 18 1 2 2 18 6 1 1 1 2 3 2 5 1 2 2 4 2 11 2 5 2 2 1 5 2 1 1 1 2 20 2 5 6 1 4 2 1 4 1 2 "
    "1 2 6 1 1 2 1 1 1 1 1 6 1 3 1 6 1 10 2 15 1 2 1 4 1 1 1 4 3 1 1 11 2 48 3 9 1 14 1 14 1 372 "
    "2 463 3 19 2 51 1 4 1 1242 1 12 1 601 1 1 1 114026 1 202 1 160 2 12 2 14 1 2 10 75 26 1 2 23"
    " 1 20 1 2 9 21 2 174 34 2 112 2 2 1 3 2 83 2 3 1 263 1 63 11 6 1 24 7 2 2 8 12 1 2 4 2 1 4 2"
    " 13 2 2 1 8 2 9 1 5 3 12 3 8 3 2 1 1 1 4 1 6 1 3 1 6 86 48 70 5 8 2 3 5 9 3 1 1 2 3 1 2 10 "
    "227 12 4 1 283 47 1 10 1 185 112 5 3 5 3 7 9 29 3 11 5 6 10 10 6 8 8 7"},
  {"Emoji_Component", "EComp", "",
    "35 1 6 1 5 10 8147 1 213 1 56619 1 62422 26 507 5 1456 4 788076 96"},
  {"Emoji_Modifier", "EMod", "",
    "127995 5"},
  {"Emoji_Modifier_Base", "EBase", "",
    "9757 1 219 1 16 4 117879 1 60 3 2 1 2 3 117 2 2 11 21 19 3 1 4 3 1 3 7 1 1 1 24 1 201 2 4 1 "
    "21 1 4 2 174 3 3 5 83 1 16 3 9 1 11 1 575 1 2 1 8 8 6 1 9 10 2 3 56 1 61 2 1 2 1 1 17 3 1 13"
    " 229 3 42 7"},
  {"Emoji_Presentation", "EPres", "",
    "8986 2 205 4 3 1 2 1 521 2 21 2 50 12 43 1 19 1 13 1 8 2 17 2 5 2 8 1 5 1 21 1 7 2 1 1 4 1 2"
    " 1 7 1 4 2 28 1 35 1 1 1 4 3 1 1 61 3 24 1 14 1 859 2 51 1 4 1 115886 1 202 1 190 1 2 10 75 "
    "26 1 1 24 1 20 1 2 5 1 3 21 2 174 33 12 9 1 70 1 22 12 43 4 5 12 17 3 1 3 71 1 1 1 187 2 63 "
    "13 4 1 24 18 1 26 2 13 1 86 85 48 70 6 1 3 3 2 3 5 3 11 2 7 9 227 12 4 1 283 47 1 10 1 185 "
    "112 5 3 5 3 7 9 29 3 11 5 6 10 10 6 8 8 7"},
  {"Extended_Pictographic", "ExtPict", "",
    "169 1 4 1 8077 1 12 1 216 1 22 1 90 6 15 2 367 2 12 1 95 1 70 1 25 11 4 3 199 1 231 2 10 1 9"
    " 1 58 4 1 6 1 12 1 114 10 118 2 11 1 1 1 1 6 1 3 1 6 1 10 2 15 1 2 1 4 1 1 1 4 3 1 1 11 5 45"
    " 3 9 1 14 1 14 1 372 2 463 3 19 2 51 1 4 1 1242 1 12 1 601 1 1 1 114022 256 13 3 31 1 60 6 "
    "12 2 14 1 2 10 18 57 27 15 10 1 20 1 2 9 1 4 9 434 5 318 8 266 48 128 116 12 85 43 12 4 56 8"
    " 10 6 40 8 30 82 12 47 1 10 1 441 256 1022"},
  {"Hex_Digit", "Hex", "",
    "48 10 7 6 26 6 65193 10 7 6 26 6"},
};
