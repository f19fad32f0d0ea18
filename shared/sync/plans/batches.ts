/** Rows are looked up by batches of so many. */
export const perLookup = 100

export async function* batches<T>(source: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const one of source) {
    batch.push(one)
    if (batch.length < perLookup) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
