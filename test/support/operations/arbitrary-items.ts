import fc from 'fast-check'

/** Names of attributes. The SDK takes a map with a key `constructor` for an object of a class. */
const names = (minLength = 0) => fc.string({ minLength }).filter((name) => !['constructor', '__proto__'].includes(name))

/** Whatever an attribute may be; sets where they are wanted. */
const anyValue = (sets: fc.Arbitrary<unknown>[]) =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', ',', 'é', 'S', 'Items":[') }),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
      fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array(),
      ...sets,
      fc.array(fc.oneof(tie('value'), fc.constant(undefined))),
      fc.dictionary(names(), fc.oneof(tie('value'), fc.constant(undefined))),
    ),
  })).value

const anyItem = (value: fc.Arbitrary<unknown>) =>
  fc.dictionary(names(1), fc.oneof(value, fc.constant(undefined)), { noNullPrototype: true })

/** Any item of a table. */
export const arbitraryItem = anyItem(
  anyValue([
    fc.array(fc.string(), { minLength: 1 }).map((texts) => new Set(texts)),
    fc.array(fc.integer(), { minLength: 1 }).map((numbers) => new Set(numbers)),
  ]),
)

/** Any item without a set in it. */
export const itemWithoutSets = anyItem(anyValue([]))
