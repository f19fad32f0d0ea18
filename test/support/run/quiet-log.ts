import { afterAll, beforeAll, beforeEach } from 'vitest'

const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }))

/** Log lines of the service during the current test, or before the first one; each function prints one. */
let lines: (() => void)[] = []
let hasRun = false
const print = () => {
  for (const line of lines) line()
  lines = []
}

// Hides the service's log of passing tests. A failing test prints its log lines.
beforeAll(() => {
  hasRun = false
  for (const { stream, write } of streams) {
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      if (typeof chunk !== 'string' || !chunk.startsWith('{"')) return Reflect.apply(write, stream, [chunk, ...rest])
      lines.push(() => write.call(stream, chunk))
      return true
    }
  }
})
beforeEach(({ onTestFailed }) => {
  if (hasRun) lines = []
  hasRun = true
  onTestFailed(print)
})
afterAll(() => {
  // A file that fails before its first test prints its log lines, too.
  if (!hasRun) print()
  lines = []
  for (const { stream, write } of streams) stream.write = write
})
