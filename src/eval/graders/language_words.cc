#include "eval/graders/language_words.h"

#include "eval/graders/reply_text.h"

namespace pleiad::eval {
namespace {

LanguageWords entry(std::string_view code, Script script, std::string_view words,
                    std::u32string_view letters = {}) {
  const std::vector<std::string> list = words_in(words);
  return {code, script, {list.begin(), list.end()}, letters};
}

}  // namespace

const std::vector<LanguageWords>& language_words() {
  static const std::vector<LanguageWords> languages = {
      entry("en", Script::latin,
            "the of and to in is that it as with for are was by this be at which from or an on not "
            "have has its their because when a we can so there than more they but there all"),
      entry("de", Script::latin,
            "der die das und ist nicht ein eine einen einem zu den mit von auf für im dem des sich "
            "es wird werden auch als durch weil wenn wir in daher deshalb aus so an wie man nur "
            "sehr oder aber uns unseren nach am zum dass er sie war hat"),
      entry(
          "fr", Script::latin,
          "le la les et est un une des du que qui dans pour pas sur au aux avec ce cette sont par "
          "plus nous il elle ne se ou lorsque de en à l d c qu dont parce on y tout toutes s"),
      entry("es", Script::latin,
            "el la los las y es un una que de en del por con para no se su al lo como más son esta "
            "este cuando porque sus o muy todo todos eso ese sobre también a pero ha le"),
      entry("it", Script::latin,
            "il lo la gli le e è un una che di del della nel nella per con non si sono da dal al "
            "alla "
            "più come questo quando perché i in ha a l dell nell tutti tutto soprattutto anche ma"),
      entry(
          "pt", Script::latin,
          "o a os as e é um uma que de do da dos das em no na nos nas por com para não se ao mais "
          "são como quando isso muito essa esse também todas todo tem mas foi à"),
      entry(
          "nl", Script::latin,
          "de het een en van is dat niet die op te zijn met voor door er dan wordt worden deze ook "
          "maar als bij naar omdat in we noemen dit aan uit om"),
      entry("ca", Script::latin,
            "el la els les i és un una que de del dels amb per no es són més com aquest això molt "
            "però quan perquè al en l d s"),
      entry("ro", Script::latin,
            "și este nu un o de la în cu pe că care mai din pentru sunt se a ca acest această cea"),
      entry("da", Script::latin,
            "og er det en af til på at den med for som ikke de der har et fra mere end fordi"),
      entry("sv", Script::latin,
            "och är det en av till på att den med för som inte de har ett från mer än eftersom"),
      entry("pl", Script::latin,
            "i w nie się na jest z do to że o jak ale po od za przez który są niż dla"),
      entry(
          "ru", Script::cyrillic,
          "и в не на что с по как это из к от для за я а у так же но то при чем чём потому поэтому "
          "его её их мы все всего всех он она они есть или только когда днём был было более во со",
          U"ыэё"),
      entry(
          "uk", Script::cyrillic,
          "і в не на що з по як це із до від для за я а у так же але то при ніж тому він вона вони "
          "ми все його є та й або",
          U"іїєґ"),
      entry("be", Script::cyrillic,
            "і ў не на што з па як гэта да ад для за я а у так але то пры чым таму ён яна яны мы",
            U"ўі"),
      entry("bg", Script::cyrillic,
            "и в не на че с по като това от за са е се до при към защото да той тя те ние ги го му "
            "във със която който които а но или"),
      entry(
          "sr", Script::cyrillic,
          "и у не на што с по као то из до од за је су се да при јер зато он она они ми која који "
          "а али или та",
          U"јљњћђџѓќѕ"),
      entry(
          "el", Script::greek,
          "ο η το οι τα του της των τον την και είναι να που με σε από για στο στη στην στον αυτό "
          "αυτός επειδή γι ως όλα πιο δεν μας"),
      entry("ar", Script::arabic,
            "من إلى في على أن لأن هذه هذا التي الذي ما لا عن مع كل بعد ذلك لذلك أكثر هو هي كما بين "
            "حيث عند جميع غيره وفي ولكن كان"),
      entry("fa", Script::arabic,
            "از به در که را این است آن با برای بر تا هم یا زیرا شود می نور بیشتر", U"پچژگکیۀ"),
      entry("ur", Script::arabic, "ہے کی کا کے میں کو سے اور نے یہ کہ ہیں پر اس کیونکہ زیادہ",
            U"ٹڈڑںےہھ"),
      entry("he", Script::hebrew,
            "את של כי על הוא היא זה זו לא עם גם יותר כל אנחנו לכן אל אם או הם מה מאשר דרך אבל רק"),
      entry("yi", Script::hebrew,
            "איז און די דער דאס דאָס מיט פון פֿון אַז א אַ צו אויף ווי ווייל מער עס ער זי"),
      entry("hi", Script::devanagari,
            "है हैं का की के में से को और यह कि पर नहीं इसे हमें ने भी होते होता होती क्योंकि इसलिए "
            "सभी सबसे कहते करता तो जो"),
      entry("mr", Script::devanagari,
            "आहे आहेत आणि चा ची चे मध्ये याला म्हणतात ते हे कारण जास्त असते ने ला नाही हा ही"),
      entry("ne", Script::devanagari, "छ छन् र को मा ले लाई यो यसलाई किनभने बढी हो भनिन्छ पनि हुन्छ गर्छ"),
  };
  return languages;
}

}  // namespace pleiad::eval
