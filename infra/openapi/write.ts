import { loadOperations } from '#functions/operations.ts'
import { toJson } from '#shared/core/json/json.ts'
import { deriveFile } from '../derived-file.ts'
import { namedSchemas } from './components.ts'
import { openApiDocument } from './document.ts'

const document = openApiDocument(await loadOperations(), await namedSchemas())
await deriveFile('docs/openapi.json', `${toJson(document, 2)}\n`)
