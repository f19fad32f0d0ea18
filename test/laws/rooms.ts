import { readFileSync } from 'node:fs'

/** Returns the rooms of a folder, from low to high, as listed in its README. */
export const roomsOf = (folder: string): string[] =>
  [...readFileSync(`${folder}/README.md`, 'utf8').matchAll(/^\d+\. \[([\w.-]+)\]/gm)]
    .map(([, room = '']) => room)
    .reverse()

/** Returns the first paragraph of a room's README. */
const purposeOf = (room: string): string => readFileSync(`shared/${room}/README.md`, 'utf8').split('\n')[2] ?? ''

/** Returns a Mermaid diagram of the rooms of shared/, from high to low. */
export function diagram(): string {
  const boxes = ['functions["functions/ · one file per operation; consumers, schedules and tasks"]']
  for (const room of roomsOf('shared').reverse()) boxes.push(`${room}["${room}/ · ${purposeOf(room)}"]`)
  const names = ['functions', ...roomsOf('shared').reverse()]
  const lines = boxes.map((box, index) => (names[index + 1] ? `  ${box} --> ${names[index + 1]}` : `  ${box}`))
  return ['```mermaid', 'flowchart TD', ...lines, '```'].join('\n')
}
