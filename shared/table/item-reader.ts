import { assign, read } from './attribute-values.ts'
import { ItemMaker } from './item-maker.ts'

type Values = Record<string, unknown>

/** The text is not spelled as the table spells its items: it is for `JSON.parse` to say what it is. */
class OtherForm extends Error {}

/**
 * Reads items from the text of an answer in one go. `JSON.parse` makes two objects of each value, and one shape of each order
 * that names come in: of a page of items it takes four times as long.
 */
class ItemReader {
  private readonly text: string
  private at: number
  /** Where the next backslash is. */
  private escape = -1
  private readonly maker = new ItemMaker()

  constructor(text: string, at: number) {
    this.text = text
    this.at = at
  }

  /** What the elements of a list are, from behind its bracket on; and where it ends. */
  items(): { items: Values[]; end: number } {
    const items = this.list(() => {
      this.take('{')
      return this.item()
    })
    return { items, end: this.at }
  }

  private takes(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  private take(token: string): void {
    if (!this.takes(token)) throw new OtherForm()
  }

  /** A text, from behind its first quote to behind its last. */
  private string(): string {
    const { text, at } = this
    if (this.escape < at) {
      const next = text.indexOf('\\', at)
      this.escape = next < 0 ? text.length : next
    }
    let end = text.indexOf('"', at)
    const isPlain = end <= this.escape
    // A quote behind an odd number of backslashes belongs to the text.
    for (let slash = this.escape; slash >= 0 && slash < end; slash = text.indexOf('\\', slash + 2)) {
      if (slash + 1 === end) end = text.indexOf('"', end + 1)
    }
    if (end < 0) throw new OtherForm()
    this.at = end + 1
    return isPlain ? text.slice(at, end) : JSON.parse(text.slice(at - 1, end + 1))
  }

  private list<T>(one: () => T): T[] {
    const values: T[] = []
    if (this.takes(']')) return values
    do values.push(one())
    while (this.takes(','))
    this.take(']')
    return values
  }

  /** The attributes of an item, from behind its brace on. */
  private item(): Values {
    const names: string[] = []
    const values: unknown[] = []
    if (this.takes('}')) return {}
    do {
      this.take('"')
      names.push(this.string())
      this.take(':')
      values.push(this.value())
    } while (this.takes(','))
    this.take('}')
    return this.maker.make(names, values)
  }

  /** What is in a map, in the order that `readAll` gives them, from behind its brace on. */
  private map(): Values {
    const values: Values = {}
    if (this.takes('}')) return values
    const names: string[] = []
    const found: unknown[] = []
    do {
      this.take('"')
      const name = this.string()
      this.take(':')
      const value = this.value()
      let place = names.length
      for (; place > 0 && (names[place - 1] as string) > name; place--) {
        names[place] = names[place - 1] as string
        found[place] = found[place - 1]
      }
      names[place] = name
      found[place] = value
    } while (this.takes(','))
    this.take('}')
    for (let i = 0; i < names.length; i++) assign(values, names[i] as string, found[i])
    return values
  }

  private value(): unknown {
    if (this.takes('{"S":"')) return this.ended(this.string())
    if (this.takes('{"NULL":true}')) return null
    if (this.takes('{"M":{')) return this.ended(this.map())
    if (this.takes('{"N":"')) return this.ended(read({ N: this.string() }))
    if (this.takes('{"BOOL":true}')) return true
    if (this.takes('{"BOOL":false}')) return false
    if (this.takes('{"L":[')) return this.ended(this.list(() => this.value()))
    if (this.takes('{"B":"')) return this.ended(read({ B: this.string() }))
    throw new OtherForm()
  }

  private ended<T>(value: T): T {
    this.take('}')
    return value
  }
}

const opening = '"Items":['

/**
 * The items in the text of an answer to a query, read as `readAll` does, and the text without them. Null where it is not
 * spelled as the table does, or has values that are rare. Their texts are parts of this one, which stays as long as one of them.
 */
export function readItems(text: string): { items: Values[]; rest: string } | null {
  // Names of attributes are followed by a brace, and in texts these quotes would be escaped.
  const begin = text.indexOf(opening)
  if (begin < 0) return null
  try {
    const { items, end } = new ItemReader(text, begin + opening.length).items()
    return { items, rest: `${text.slice(0, begin)}${opening}]${text.slice(end)}` }
  } catch (error) {
    if (error instanceof OtherForm) return null
    throw error
  }
}
