import { randomInt } from 'node:crypto'

const adjectives =
  'able amber ample azure brave brief bright brisk broad calm candid civil clean clear clever cool coral cosy crisp deep eager early easy exact fair fast fine firm fleet fresh gentle glad golden grand great green happy hardy honest humble ivory keen kind large light lively lofty lucid lucky mellow merry mild modest neat noble novel olive open patient plain polite prime proud pure quick quiet rapid ready rich round royal rustic safe sharp silent silver simple sincere sleek smart smooth soft solid steady stout strong sunny sure swift tall tame tidy true upper vast vivid warm wise witty'.split(
    ' ',
  )
const nouns =
  'acorn anchor apple arch aspen badge barn basin beacon birch bloom boat bridge brook canal canyon cedar chart cliff cloud clover coast comet compass coral cove creek crest delta desert dune eagle elm ember falcon fern field finch fjord forest fountain garden gate glacier glade grove harbor haven hawk hazel heron hill horizon island ivy juniper lagoon lake lantern lark ledger linden lotus maple marsh meadow mesa moon moss oak oasis ocean orchard otter owl palm path pebble pine planet plaza pond prairie quarry rain reef ridge river robin rose sail sparrow spring spruce star stone stream summit swan tide tower trail tulip valley willow'.split(
    ' ',
  )

const one = (words: string[]): string => words[randomInt(words.length)] as string

/** The name of a client that registers itself (P3.1). */
export const generateClientName = (): string => `${one(adjectives)}-${one(nouns)}`
