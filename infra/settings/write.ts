import { readFile } from 'node:fs/promises'
import { deriveFile } from '../code/derived-file.ts'
import { settingGroups } from './settings.ts'

function defaultText({ fallback, otherwise }: { fallback: unknown; otherwise?: string }): string {
  if (otherwise) return otherwise
  const isNone = fallback === null || (typeof fallback === 'object' && Object.keys(fallback).length === 0)
  return isNone ? 'none' : `\`${Array.isArray(fallback) ? fallback.join(' ') : fallback}\``
}

function settingsTable(): string {
  const rows = Object.entries(settingGroups).flatMap(([group, settings]) => [
    [`**${group}**`, '', '', ''],
    ...Object.entries(settings).map(([name, setting]) => [
      `\`${name}\``,
      defaultText(setting),
      setting.kind.rule.replaceAll('|', '\\|'),
      setting.description,
    ]),
  ])
  const cells = [['Setting', 'Default', 'Allowed values', 'Description'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

const path = 'docs/settings.md'
const document = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const [before, , after] = document.split(/(?<=<!-- settings: .* -->\n)|(?=<!-- end of settings -->)/)
if (after === undefined) throw new Error(`${path} has no marker for the table of settings.`)
await deriveFile(path, `${before}\n${settingsTable()}\n\n${after}`)
