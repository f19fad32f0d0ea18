import { fieldsOf, isObject } from '#shared/core/json/is-object.ts'

/** A filter of an event source mapping: is this record one for the function? */
export type Filter = (record: unknown) => boolean

type Test = (value: unknown, present: boolean) => boolean

const operators: Record<string, (argument: unknown) => Test> = {
  prefix: (argument) => (value) => typeof value === 'string' && value.startsWith(String(argument)),
  suffix: (argument) => (value) => typeof value === 'string' && value.endsWith(String(argument)),
  'equals-ignore-case': (argument) => (value) =>
    typeof value === 'string' && value.toLowerCase() === String(argument).toLowerCase(),
  exists: (argument) => (value, present) => (present && (typeof value !== 'object' || value === null)) === argument,
  'anything-but': (argument) => {
    const excluded = Array.isArray(argument) ? argument : [argument]
    if (excluded.some((item) => typeof item === 'object')) {
      throw new Error('A filter pattern may use anything-but with strings and numbers only.')
    }
    return (value, present) => present && !excluded.includes(value)
  },
  numeric: (argument) => {
    const parts: unknown[] = [argument].flat()
    const compare: Record<string, (left: number, right: number) => boolean> = {
      '=': (left, right) => left === right,
      '<': (left, right) => left < right,
      '<=': (left, right) => left <= right,
      '>': (left, right) => left > right,
      '>=': (left, right) => left >= right,
    }
    const tests: Array<(value: number) => boolean> = []
    for (let i = 0; i < parts.length; i += 2) {
      const test = compare[String(parts[i])]
      if (!test) throw new Error(`A filter pattern uses the unknown comparison ${parts[i]}.`)
      tests.push((value) => test(value, Number(parts[i + 1])))
    }
    return (value) => typeof value === 'number' && tests.every((test) => test(value))
  },
}

function compileValue(rule: unknown): Test {
  if (rule === null || typeof rule !== 'object') return (value, present) => present && value === rule
  const [name = '', argument] = Object.entries(rule)[0] ?? []
  const operator = operators[name]
  if (!operator) throw new Error(`A filter pattern uses the unknown operator ${name}.`)
  return operator(argument)
}

function compile(pattern: unknown): Filter {
  if (!isObject(pattern)) throw new Error('A filter pattern must be an object.')
  const tests = Object.entries(pattern).map(([key, rule]): Filter => {
    if (key === '$or' && Array.isArray(rule)) {
      const branches = rule.map(compile)
      return (record) => branches.some((branch) => branch(record))
    }
    const field = (record: unknown): [unknown, boolean] => {
      const fields = fieldsOf(record)
      return Object.hasOwn(fields, key) ? [fields[key], true] : [undefined, false]
    }
    if (Array.isArray(rule)) {
      const values = rule.map(compileValue)
      return (record) => {
        const [value, present] = field(record)
        const candidates = Array.isArray(value) ? value : [value]
        return candidates.some((candidate) => values.some((test) => test(candidate, present)))
      }
    }
    if (!isObject(rule)) throw new Error(`The filter pattern's ${key} must be a list or an object.`)
    const inner = compile(rule)
    return (record) => inner(field(record)[0])
  })
  return (record) => tests.every((test) => test(record))
}

/** The filters of a mapping are alternatives; no filter lets every record through. */
export function compileFilters(patterns: string[]): Filter {
  const filters = patterns.map((pattern) => compile(JSON.parse(pattern)))
  return (record) => filters.length === 0 || filters.some((filter) => filter(record))
}
