import { readFileSync } from 'node:fs'
import { deriveFile } from '#infra/code/derived-file.ts'
import { diagram } from './rooms.ts'

/** Writes the diagram of the rooms into docs/architecture.md. With `--check`, fails if the diagram is outdated. */
const path = 'docs/architecture.md'
const block = /(<!-- rooms -->).*(<!-- end of rooms -->)/s
await deriveFile(path, readFileSync(path, 'utf8').replace(block, `$1\n\n${diagram()}\n\n$2`))
