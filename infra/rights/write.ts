import { deriveFile } from '../code/derived-file.ts'
import { rightsDocument } from './document.ts'

await deriveFile('docs/rights.md', await rightsDocument())
