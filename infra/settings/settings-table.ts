import { settingGroups } from './settings.ts'

const [begin, end] = ['<!-- settings: generated from infra/settings/ by `npm run fix` -->', '<!-- end of settings -->']

/** A default as a cell says it. */
function standing({ fallback, otherwise }: { fallback: unknown; otherwise?: string }): string {
  if (otherwise) return otherwise
  const none = fallback === null || (typeof fallback === 'object' && Object.keys(fallback).length === 0)
  return none ? 'none' : `\`${Array.isArray(fallback) ? fallback.join(' ') : fallback}\``
}

function settingsTable(): string {
  const rows = Object.entries(settingGroups).flatMap(([group, settings]) => [
    [`**${group}**`, '', '', ''],
    ...Object.entries(settings).map(([name, setting]) => [
      `\`${name}\``,
      standing(setting),
      setting.kind.rule.replaceAll('|', '\\|'),
      setting.what,
    ]),
  ])
  const cells = [['setting', 'default', 'what it can be', 'what it is'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

/** docs/settings.md with the table of all settings. @throws Error when it has no place for it */
export function withSettings(document: string): string {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error('docs/settings.md has no place for the table of settings.')
  return `${document.slice(0, from + begin.length)}\n\n${settingsTable()}\n\n${document.slice(to)}`
}
