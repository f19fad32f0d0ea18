export const recordOf = <K extends string, V>(keys: readonly K[], createValue: (key: K) => V): Record<K, V> =>
  Object.fromEntries(keys.map((key) => [key, createValue(key)])) as Record<K, V>
