import { vi } from 'vitest'
import { table } from '#shared/table/client.ts'

/** Lets the table fail some commands with an error of this name, until the mocks are restored. */
export function failTable(name: string, matches: (command: object) => boolean, before: () => void = () => {}): void {
  const send = table().send.bind(table())
  vi.spyOn(table(), 'send').mockImplementation((async (command: object, ...rest: []) => {
    if (!matches(command)) return send(command as never, ...rest)
    before()
    throw Object.assign(new Error(`arn:aws:dynamodb:::table/secret ${name}`), { name })
  }) as never)
}
