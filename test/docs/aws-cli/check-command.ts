import { readFileSync } from 'node:fs'
import type { Words } from './shell.ts'

interface Option {
  required: boolean
  takes: 'none' | 'one' | 'several'
  values: string[]
  members: string[]
}

interface Known {
  positional: string[]
  options: Map<string, Option>
}

/** Parses a line of `commands.txt`, in the notation that the file's header describes. */
function readLine(line: string): [name: string, known: Known] {
  const words = line.split(' ')
  const options = words
    .filter((word) => word.startsWith('--'))
    .map((word): [string, Option] => {
      const [, option = '', required, takes, list, members] =
        /^(--[\w-]+)(!?)([?+]?)(?:=([^{]*))?(?:\{(.*)\})?$/.exec(word) ?? []
      return [
        option,
        {
          required: required === '!',
          takes: takes === '?' ? 'none' : takes === '+' ? 'several' : 'one',
          values: list ? list.split('|') : [],
          members: members ? members.split(',') : [],
        },
      ]
    })
  const names = words.filter((word) => !word.startsWith('--'))
  return [
    names.filter((word) => !word.startsWith('<')).join(' '),
    { positional: names.filter((word) => word.startsWith('<')), options: new Map(options) },
  ]
}

const lines = readFileSync('test/docs/aws-cli/commands.txt', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
const known = new Map(lines.map(readLine))
const everywhere = known.get('aws')?.options ?? new Map<string, Option>()
known.delete('aws')

/** True if a value contains a placeholder that the reader replaces: `<name>`, `…`, `$NAME`, `$(…)`. */
const isOpen = (value: string): boolean => /[<…$]/.test(value)

function checkValue(name: string, option: Option, value: string): string[] {
  if (isOpen(value)) return []
  if (option.values.length > 0 && option.values[0] !== '')
    return option.values.includes(value) ? [] : [`${name} is one of ${option.values.join(', ')}, not ${value}`]
  if (option.members.length === 0 || /^[[{]|^file:/.test(value)) return []
  const unknown = [...value.matchAll(/(?:^|,)([A-Za-z]+)=/g)].map(([, member = '']) => member)
  return unknown.filter((it) => !option.members.includes(it)).map((it) => `${name} has no ${it}`)
}

/** Returns the faults in an AWS CLI command, given the words after `aws`. The list is empty for a valid command. */
export function checkAwsCommand(words: Words): string[] {
  const length = [3, 2, 1].find((count) => words.length >= count && known.has(words.slice(0, count).join(' ')))
  if (length === undefined) return ['not in test/docs/aws-cli/commands.txt']
  const command = known.get(words.slice(0, length).join(' '))
  // Accepts a command without arguments, because the document only mentions it.
  if (!command || words.length === length) return []
  const objections: string[] = []
  const given = new Set<string>()
  const positional: string[] = []
  let index = length
  while (index < words.length) {
    const word = words[index] ?? ''
    index += 1
    if (!word.startsWith('--')) {
      positional.push(word)
      continue
    }
    const [name = '', attached] = word.split(/=(.*)/s)
    const option = command.options.get(name) ?? everywhere.get(name)
    given.add(name)
    if (!option) {
      objections.push(`no option ${name}`)
      continue
    }
    const values = attached === undefined ? [] : [attached]
    const max = option.takes === 'none' ? 0 : option.takes === 'one' ? 1 : Number.POSITIVE_INFINITY
    while (values.length < max && words[index] !== undefined && !words[index]?.startsWith('--')) {
      values.push(words[index] ?? '')
      index += 1
    }
    if (option.takes === 'none' && values.length > 0) objections.push(`${name} takes no value`)
    if (option.takes !== 'none' && values.length === 0) objections.push(`${name} needs a value`)
    objections.push(...values.flatMap((value) => checkValue(name, option, value)))
  }
  if (!given.has('--cli-input-json') && !given.has('--cli-input-yaml'))
    for (const [name, { required }] of command.options)
      if (required && !given.has(name) && !given.has(name.replace('--', '--no-')))
        objections.push(`${name} is required`)
  const needed = command.positional.filter((it) => !it.endsWith('?')).length
  if (positional.length < needed) objections.push(`${command.positional.join(' ')} is required`)
  if (positional.length > command.positional.length) objections.push(`too much: ${positional.join(' ')}`)
  return objections
}
