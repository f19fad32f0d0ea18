export type Person = { number: number; given: string; family: string; email: string }
/** Group of people. `people` contains their numbers. */
export type Team = { name: string; people: number[] }

const givens = [
  'Ada',
  'Ben',
  'Cleo',
  'Dan',
  'Eve',
  'Finn',
  'Gia',
  'Hugo',
  'Ines',
  'Jon',
  'Kim',
  'Leo',
  'Mia',
  'Noah',
  'Ola',
  'Pia',
]
const families = [
  'Abel',
  'Brook',
  'Cole',
  'Dale',
  'Eck',
  'Ford',
  'Gray',
  'Holm',
  'Ives',
  'Jung',
  'Kern',
  'Lind',
  'Moor',
  'Nash',
]

/** Generates the people of a company. Every call returns the same people. */
export function people(count: number): Person[] {
  return Array.from({ length: count }, (_, number) => {
    const given = givens[number % givens.length] as string
    const family = families[Math.floor(number / givens.length) % families.length] as string
    return { number, given, family, email: `${given}.${family}.${number}@example.com`.toLowerCase() }
  })
}

const trades = ['Engineering', 'Sales', 'Support', 'Finance', 'Legal', 'Design', 'Operations', 'Research']

/** Generates groups. The index of a person's group is the person's number modulo `count`. Every third person is also in the next group. */
export function teams(count: number, size: number): Team[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `${trades[at % trades.length]}${at < trades.length ? '' : ` ${Math.floor(at / trades.length) + 1}`}`
    const isMember = (number: number) => number % count === at || (number % 3 === 0 && (number + 1) % count === at)
    return { name, people: Array.from({ length: size }, (_, number) => number).filter(isMember) }
  })
}
