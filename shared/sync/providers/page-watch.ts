/** Recognizes pages that bring nothing new although they have a next one. Each adapter has its own. */
export class PageWatch {
  private readonly seen = new Map<string, Set<string>>()

  /**
   * Returns whether a page has a next one and no entry that earlier pages of its list lacked.
   * @param asked the position of the page, null at the start of the list
   */
  isBarren(list: string, ids: string[], asked: string | null, next: string | null): boolean {
    const known = (asked === null ? undefined : this.seen.get(list)) ?? new Set()
    const before = known.size
    for (const id of ids) known.add(id)
    if (next === null) this.seen.delete(list)
    else this.seen.set(list, known)
    return next !== null && known.size === before
  }
}
