import { readFileSync } from 'node:fs'
import type { Words } from './shell.ts'

interface Option {
  type: string
  alias?: string
  choices?: string[]
}
interface Registry {
  globalOptions: Record<string, Option>
  commands: Record<string, { arg?: { variadic: boolean }; aliases?: string[]; options?: Record<string, Option> }>
}

/** Commands of the installed CDK CLI, from the file that defines the CLI's parser. */
const registry = JSON.parse(
  readFileSync('node_modules/aws-cdk/lib/cli/cli-type-registry.json', 'utf8'),
) as unknown as Registry

/** Returns the faults in a CDK CLI command, given the words after `cdk`. The list is empty for a valid command. */
export function checkCdkCommand([name = '', ...words]: Words): string[] {
  const command = registry.commands[name]
  if (!command) return [`no command ${name}`]
  const options = Object.entries({ ...registry.globalOptions, ...command.options })
  const objections: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    if (!word.startsWith('-')) {
      if (!command.arg) objections.push(`too much: ${word}`)
      continue
    }
    const [given = '', attached] = word.split(/=(.*)/s)
    const [, option] =
      options.find(([long, { alias }]) => [`--${long}`, `--no-${long}`, `-${alias}`].includes(given)) ?? []
    if (!option) {
      objections.push(`no option ${given}`)
      continue
    }
    if (option.type === 'boolean' || option.type === 'count') continue
    const value = attached ?? words[index + 1]
    if (attached === undefined) index += 1
    if (value === undefined || value.startsWith('-')) objections.push(`${given} needs a value`)
    else if (option.choices && !option.choices.includes(value))
      objections.push(`${given} is one of ${option.choices.join(', ')}, not ${value}`)
  }
  return objections
}
