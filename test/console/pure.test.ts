import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messagesOf, Problem, toProblem } from '#functions/console/client/problem.ts'
import { addressOf } from '#functions/console/client/request.ts'
import { conditionText } from '#functions/console/collection/conditions.ts'
import { toCsv } from '#functions/console/collection/csv.ts'
import { durationText } from '#functions/console/collection/durations.ts'
import { changesOf, differencesOf, mergedValues } from '#functions/console/collection/merge.ts'
import { piecesOf, plainText, shortId } from '#functions/console/parts/characters.ts'
import { idleLimit, idleState } from '#functions/console/session/idle.ts'
import { challengeOf, createSecret, oneTimeSignIn, safeReturn, signInAddress } from '#functions/console/session/pkce.ts'

describe('texts of other systems', () => {
  it.each([
    ['Uma', 'Uma'],
    ['\u202Egnp.evil', '⟨U+202E⟩gnp.evil'],
    ['a\u0000b\tc', 'a⟨U+0000⟩b⟨U+0009⟩c'],
    ['a\u200Bb', 'a⟨U+200B⟩b'],
    ['', ''],
  ])('shows hidden characters of %j as code points', (text, shown) => expect(plainText(text)).toBe(shown))

  it('names objects that were created in the same minute by different ids', () =>
    expect(shortId('01a22993-5f54-7000-8000-acf145fca8c6')).not.toBe(shortId('01a22993-6349-7000-8000-3a3f39b64cf4')))

  it('keeps every other character', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const pieces = piecesOf(text)
        expect(pieces.every((piece) => piece.isCode || !/[\p{Cc}\p{Cf}]/u.test(piece.text))).toBe(true)
        const restored = pieces.map((piece) =>
          piece.isCode ? String.fromCodePoint(Number.parseInt(piece.text.slice(2), 16)) : piece.text,
        )
        expect(restored.join('')).toBe(text)
      }),
    ))
})

describe('CSV', () => {
  it('quotes cells as RFC 4180 requires, and starts with a byte order mark', () =>
    expect(
      toCsv([
        ['id', 'a,b'],
        ['1', 'say "hi"\n'],
      ]),
    ).toBe('\uFEFFid,"a,b"\r\n1,"say ""hi""\n"\r\n'))

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('disarms the formula %j', (formula) =>
    expect(toCsv([[formula]])).toMatch(/^\uFEFF"?'/),
  )
})

describe('a merge of two edits', () => {
  const loaded = { name: 'Wiki', address: 'a.example.com', filters: [] }

  it('takes the changes of each side, and asks about fields that both changed', () => {
    const theirs = { ...loaded, name: 'Wiki 2', address: 'b.example.com' }
    const mine = { ...loaded, name: 'My wiki', filters: [{ protocol: 'tcp', ports: ['443'] }] }
    const differences = differencesOf(loaded, theirs, mine)
    expect(differences.map(({ field, isConflict }) => [field, isConflict])).toEqual([
      ['name', true],
      ['address', false],
      ['filters', false],
    ])
    expect(mergedValues(differences, mine, {})).toEqual({ ...mine, address: 'b.example.com' })
    expect(mergedValues(differences, mine, { name: 'theirs' })).toEqual({ ...theirs, filters: mine.filters })
  })

  it('finds no conflict in equal changes', () =>
    expect(differencesOf(loaded, { ...loaded, name: 'B' }, { ...loaded, name: 'B' })).toMatchObject([
      { field: 'name', isConflict: false },
    ]))

  it('sends only changed fields', () => expect(changesOf(loaded, { ...loaded, name: 'B' })).toEqual({ name: 'B' }))
})

describe('problems', () => {
  it('finds messages of a field and of values within it', () => {
    const errors = { name: ["can't be blank"], 'filters.0.ports': ['ports must not overlap'], names: ['other'] }
    expect(messagesOf(errors, 'name')).toEqual(["can't be blank"])
    expect(messagesOf(errors, 'filters')).toEqual(['1, ports: ports must not overlap'])
  })

  it('describes a failure of the network', () => {
    expect(toProblem(new TypeError('Failed to fetch'))).toMatchObject({ status: 0, code: 'network' })
    const problem = new Problem(404, { code: 'not_found', detail: 'Gone.', request_id: 'r1' })
    expect(toProblem(problem)).toBe(problem)
    expect(problem).toMatchObject({ message: 'Gone.', requestId: 'r1' })
  })
})

describe('sign-in', () => {
  it('builds the challenge of RFC 7636, appendix B', async () =>
    expect(await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    ))

  it('creates secrets of 43 characters of base64url', () => expect(createSecret()).toMatch(/^[\w-]{43}$/))

  it('builds the address of the sign-in page', async () => {
    const started = { slug: 'demo', state: 's', verifier: 'v', returnTo: '/console/demo', tab: 'same' as const }
    const address = new URL(await signInAddress('https://example.com', started), 'https://example.com')
    expect(address.pathname).toBe('/sign_in/demo')
    expect(Object.fromEntries(address.searchParams)).toEqual({
      context: 'portal',
      redirect_uri: 'https://example.com/console/signed_in',
      state: 's',
      code_challenge: await challengeOf('v'),
    })
  })

  it('reads a one-time sign-in from the fragment', () => {
    const at = (address: string) => oneTimeSignIn(new URL(address))
    expect(at('http://127.0.0.1:8787/console/demo#code=c&verifier=v')).toEqual({ code: 'c', verifier: 'v' })
    expect(at('http://127.0.0.1:8787/console/demo#code=c')).toBeUndefined()
    expect(at('http://127.0.0.1:8787/console/demo')).toBeUndefined()
    for (const base of ['https://access.example.com', 'http://access.example.com', 'https://127.0.0.1'])
      expect(at(`${base}/console/demo#code=c&verifier=v`), base).toBeUndefined()
  })

  it.each([
    ['/console/demo/groups?find=a', '/console/demo/groups?find=a'],
    ['/console/demo', '/console/demo'],
    ['/console/demolition', '/console/demo'],
    ['https://evil.example.com', '/console/demo'],
    ['//evil.example.com', '/console/demo'],
  ])('limits the return path %s to the console of the account', (path, safe) =>
    expect(safeReturn('demo', path)).toBe(safe),
  )

  it.each([
    [0, 'active'],
    [29 * 60_000 - 1, 'active'],
    [29 * 60_000, 'warning'],
    [idleLimit, 'ended'],
  ])('is after %d ms without input: %s', (idle, state) => expect(idleState(1000 + idle, 1000)).toBe(state))
})

it('fills path parameters and leaves out blank query parameters', () => {
  expect(addressOf('GET /sites/{id}', { id: 'a/b' })).toBe('/sites/a%2Fb')
  expect(addressOf('GET /groups', {}, { name: 'A & B', limit: 1, page_cursor: undefined })).toBe(
    '/groups?name=A+%26+B&limit=1',
  )
})

it.each([
  [604_800, '7 days'],
  [28_800, '8 hours'],
  [90, '90 seconds'],
  [60, '1 minute'],
])('writes %d seconds as %s', (seconds, text) => expect(durationText(seconds)).toBe(text))

it.each([
  [{ property: 'client_verified', operator: 'is', values: ['true'] }, 'Client is verified'],
  [{ property: 'client_verified', operator: 'is', values: ['0'] }, 'Any client'],
  [
    { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE', 'PL'] },
    'Country is one of Germany (DE) and Poland (PL)',
  ],
  [{ property: 'remote_ip', operator: 'is_not_in_cidr', values: ['10.0.0.0/8'] }, 'IP address is not in 10.0.0.0/8'],
  [
    {
      property: 'current_utc_datetime',
      operator: 'is_in_day_of_week_time_ranges',
      values: ['M/09:00-12:00,13:00-17:00/Europe/Warsaw', 'U/true/Europe/Warsaw'],
    },
    'Time is within Mon 09:00–12:00, 13:00–17:00; Sun all day (Europe/Warsaw)',
  ],
])('writes a condition as a sentence: $property', (condition, text) => expect(conditionText(condition)).toBe(text))
