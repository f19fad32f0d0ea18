import { expect, it } from 'vitest'
import { listText, readList } from '#shared/core/secrets/secret-list.ts'
import { isList, namedVersion, nameVersion, onlyVersion, writingAt } from '#shared/core/secrets/secret-versions.ts'

const list = (...versions: object[]) => JSON.stringify(versions)
const names = (text: string) => readList(text).map(({ name }) => name)
const begun = { version: '2', secret: 'two', from: '2026-01-02T00:00:00Z' }
const first = { version: '1', secret: 'one' }
const at = (time: string) => Date.parse(time) * 1_000

it.each(['word', ' with blanks ', '{"secret":"as the console writes it"}', '"quoted"'])(
  'reads %j, which is no list, as the first version',
  (text) => {
    expect(isList(text)).toBe(false)
    expect(onlyVersion(text)).toMatchObject({ name: '1', from: 0, secret: text })
  },
)

it('puts the newest first, however the list is ordered', () => {
  expect(names(list(first, begun))).toEqual(['2', '1'])
  expect(names(list(begun, first))).toEqual(['2', '1'])
})

it('writes with the newest version that has begun, and with none that is compromised or retired', () => {
  const writing = (text: string, time: string) => writingAt(readList(text), at(time))?.name
  const [before, after] = ['2026-01-01T23:59:59Z', '2026-01-02T00:00:00Z']
  expect([writing(list(begun, first), before), writing(list(begun, first), after)]).toEqual(['1', '2'])
  expect(writing(list(begun, { ...first, compromised: true }), before)).toBe('2')
  expect(writing(list({ ...begun, compromised: true }, first), after)).toBe('1')
  expect(writing(list(begun), before)).toBe('2')
})

it('reads what it writes', () => {
  const keys = { 'token hash': Buffer.alloc(32, 7).toString('base64') }
  const all = readList(list(begun, { version: 'old', secret: 's', compromised: true }, { version: '1', keys }))
  expect(readList(listText(all))).toEqual(all)
  expect(all.at(-1)).toMatchObject({ secret: null, keys: { 'token hash': Buffer.alloc(32, 7) } })
})

it.each([
  ['[', 'it begins with [ and is no JSON'],
  ['[]', 'none of its versions may write'],
  [list({ ...first, compromised: true }), 'none of its versions may write'],
  ['["one"]', 'entry 1 is no object'],
  [list(first, { secret: 'hidden' }), 'entry 2 has no name under "version"'],
  [list({ version: 'a.b', secret: 'hidden' }), 'entry 1 has no name under "version"'],
  [list({ version: 1, secret: 'hidden' }), 'entry 1 has no name under "version"'],
  [list({ version: '1' }), 'entry 1 needs either "secret" or "keys"'],
  [list({ version: '1', secret: ' ' }), 'entry 1 needs either "secret" or "keys"'],
  [list({ ...first, keys: {} }), 'entry 1 needs either "secret" or "keys"'],
  [list(begun, { version: '1', keys: {} }), '"keys" of entry 2 are no keys of 32 bytes'],
  [list(begun, { version: '1', keys: { 'token hash': 'hidden' } }), '"keys" of entry 2 are no keys of 32 bytes'],
  [list({ ...first, from: 'yesterday' }), '"from" of entry 1 is no RFC 3339 timestamp'],
  [list({ ...first, compromised: 'yes' }), '"compromised" of entry 1 is neither true nor false'],
  [list(first, { version: '1', secret: 'hidden' }), 'two versions have one name'],
])('refuses the damaged list %s by its rule, and shows nothing of it', (text, rule) => {
  expect(() => readList(text)).toThrow(new Error(`The service secret is no list of versions: ${rule}.`))
  expect(rule).not.toContain('hidden')
})

it('names every version but the first', () => {
  expect([nameVersion('1', 'ab=='), nameVersion('x-2', 'ab==')]).toEqual(['ab==', 'x-2.ab=='])
  expect([namedVersion('ab=='), namedVersion('x-2.ab==')]).toEqual([
    { version: '1', text: 'ab==' },
    { version: 'x-2', text: 'ab==' },
  ])
})
