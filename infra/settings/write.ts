import { readFile } from 'node:fs/promises'
import { deriveFile } from '../derived-file.ts'
import { withSettings } from './settings-table.ts'

await deriveFile('README.md', withSettings(await readFile(new URL('../../README.md', import.meta.url), 'utf8')))
