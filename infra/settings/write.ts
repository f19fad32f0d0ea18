import { readFile } from 'node:fs/promises'
import { deriveFile } from '../derived-file.ts'
import { withSettings } from './settings-table.ts'

const path = 'docs/settings.md'
await deriveFile(path, withSettings(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')))
