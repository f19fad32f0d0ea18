import { loadOperations } from '#functions/operations.ts'
import { toJson } from '#shared/core/json/json.ts'
import { deriveFile } from '../code/derived-file.ts'
import { consoleTypes } from './console-types.ts'
import { openApiDocument } from './document.ts'
import { namedSchemas } from './schemas.ts'

const document = openApiDocument(await loadOperations(), await namedSchemas())
await deriveFile('docs/openapi.json', `${toJson(document, 2)}\n`)
await deriveFile('functions/console/client/api-types.ts', consoleTypes(document))
