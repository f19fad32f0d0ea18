import { OutsideError } from './outside-error.ts'

/** An answer that is there in time. @throws OutsideError `timeout`; whatever the answer fails with */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new OutsideError('timeout', 'No answer was there in time.')), ms)
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer))
}

/** The answer; null where there is none. */
const unlessFailed = <T>(asked: Promise<T>): Promise<{ answer: T } | null> =>
  asked.then(
    (answer) => ({ answer }),
    () => null,
  )

/**
 * Questions to others that many have at once and that are asked once. Each asker waits as long as they have themselves, and the
 * question as long as it takes; one that fails is nobody's answer who came after it was asked.
 */
export class SharedQuestions<T> {
  private readonly open = new Map<string, Promise<T>>()

  async ask(question: string, ask: () => Promise<T>, timeoutMs: number): Promise<T> {
    const end = performance.now() + timeoutMs
    const before = this.open.get(question)
    const answered = before && (await inTime(unlessFailed(before), timeoutMs))
    if (answered) return answered.answer
    return inTime(this.open.get(question) ?? this.begin(question, ask), end - performance.now())
  }

  private begin(question: string, ask: () => Promise<T>): Promise<T> {
    const asked = ask().finally(() => this.open.delete(question))
    this.open.set(question, asked)
    return asked
  }
}
