/** Works through all items, at most `width` of them at a time, begun in their order. @throws the first error */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items[Symbol.iterator]()
  const lane = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: width }, lane))
}
