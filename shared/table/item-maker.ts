import { blankOf } from '../core/json/blank-of.ts'

type Values = Record<string, unknown>

/** Items of the same attributes. */
class Shape {
  private readonly blank: Values
  /** Its names as the engine of JavaScript keeps them, by themselves. */
  private readonly fields: Map<string, string>

  constructor(names: string[]) {
    this.blank = blankOf(names.toSorted())
    this.fields = new Map(Object.keys(this.blank).map((name) => [name, name]))
  }

  /** Null where the names are others. */
  filled(names: string[], values: unknown[]): Values | null {
    const item = { ...this.blank }
    for (let i = 0; i < names.length; i++) {
      const field = this.fields.get(names[i] as string)
      if (field === undefined) return null
      item[field] = values[i]
    }
    return item
  }
}

/** Makes items of attributes in whatever order they come; an item has them in the order of their names. */
export class ItemMaker {
  /** By their number of attributes: few kinds of items lie together. */
  private readonly shapes: (Shape | undefined)[] = []

  make(names: string[], values: unknown[]): Values {
    const item = this.shapes[names.length]?.filled(names, values)
    if (item) return item
    const shape = new Shape(names)
    this.shapes[names.length] = shape
    return shape.filled(names, values) ?? {}
  }
}
