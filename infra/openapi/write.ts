import { readFile, writeFile } from 'node:fs/promises'
import { loadOperations } from '#functions/operations.ts'
import { toJson } from '#shared/core/json.ts'
import { namedSchemas } from './components.ts'
import { openApiDocument } from './document.ts'

const file = new URL('../../docs/openapi.json', import.meta.url)
const text = `${toJson(openApiDocument(await loadOperations(), await namedSchemas()), 2)}\n`

if (process.argv.includes('--check')) {
  const committed = await readFile(file, 'utf8').catch(() => '')
  if (committed !== text) {
    process.stderr.write('docs/openapi.json is stale: run `npm run fix`.\n')
    process.exitCode = 1
  }
} else {
  await writeFile(file, text)
}
