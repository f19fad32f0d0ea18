type Kept<T> = { answer: T; at: number }

/**
 * What was read of others, kept in the process for a time. When it is full the oldest makes room, so that nobody who brings many
 * takes away what all others have.
 */
export class KeptAnswers<T> {
  private readonly kept = new Map<string, Kept<T>>()
  private readonly bounds: { ms: number; most: number }

  constructor(bounds: { ms: number; most: number }) {
    this.bounds = bounds
  }

  get(question: string): T | null {
    const known = this.kept.get(question)
    return known && Date.now() - known.at < this.bounds.ms ? known.answer : null
  }

  keep(question: string, answer: T): void {
    // Where it stood before, it would be taken for as old as it was.
    this.kept.delete(question)
    const [oldest] = this.kept.keys()
    if (this.kept.size >= this.bounds.most && oldest !== undefined) this.kept.delete(oldest)
    this.kept.set(question, { answer, at: Date.now() })
  }
}
