import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Source maps of the bundled files, read only when an error is logged. Null for a file without a source map. */
const maps = new Map<string, SourceMap | null>()

function mapOf(file: string): SourceMap | null {
  let map = maps.get(file)
  if (map === undefined) {
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${file.startsWith('/') ? file : fileURLToPath(file)}.map`, 'utf8')))
    } catch {
      // Records that the file has no source map, because it is a source file or was not bundled.
      map = null
    }
    maps.set(file, map)
  }
  return map
}

/** Matches `at name (file:///x.mjs:1:2)`, `at async name (…)` and `at file:///x.mjs:1:2`. In tests, paths have no scheme. */
const frame = /^(\s+at )(async )?(?:(.+?) )?\(?((?:file:\/\/|\/).+?\.mjs):(\d+):(\d+)\)?$/

type SourcePosition = { source: string; line: number; column: number; functionName?: string }

function positionOf(file: string, line: number, column: number): SourcePosition | null {
  const entry = mapOf(file)?.findEntry(line - 1, column - 1)
  if (!entry || !('originalSource' in entry)) return null
  const { originalSource: source, originalLine, originalColumn } = entry
  // Node also returns `name`, but its types lack the property.
  const functionName = 'name' in entry && typeof entry.name === 'string' ? entry.name : undefined
  return { source, line: originalLine + 1, column: originalColumn + 1, functionName }
}

/** Maps a stack trace to the sources. The name of a function is taken from the call in the frame below. */
export function readableStack(stack: string): string {
  const lines = stack.split('\n').map((text) => {
    const [, at, async = '', name, file = '', line, column] = frame.exec(text) ?? []
    return { text, at, async, name, position: at === undefined ? null : positionOf(file, Number(line), Number(column)) }
  })
  return lines
    .map(({ text, at, async, name, position }, index) => {
      if (!position) return text
      const functionName = lines[index + 1]?.position?.functionName ?? name
      const location = `${position.source}:${position.line}:${position.column}`
      return `${at}${async}${functionName ? `${functionName} (${location})` : location}`
    })
    .join('\n')
}
