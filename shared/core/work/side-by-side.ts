/** Awaits two promises that run concurrently. @throws the error of `first` if both reject */
export async function sideBySide<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  second.catch(() => undefined)
  return [await first, await second]
}
