import { createPrivateKey, generateKeyPairSync, getDiffieHellman, type KeyObject } from 'node:crypto'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { ServiceAccountKey } from '#shared/domain/directories/directory.ts'

const numberOf = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)
function encoded(number: bigint): string {
  const hex = number.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}

function inverse(number: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [number % modulus, modulus, 1n, 0n]
  while (a > 1n) {
    const quotient = a / b
    ;[a, b, x, y] = [b, a % b, y, x - quotient * y]
  }
  return ((x % modulus) + modulus) % modulus
}

/** Builds a key of 14,336 bits from two published primes, because generating primes of this size takes minutes. */
function longKey(): KeyObject {
  const [p, q] = ['modp18', 'modp17'].map((group) => numberOf(getDiffieHellman(group).getPrime())) as [bigint, bigint]
  const e = 65_537n
  const d = inverse(e, (p - 1n) * (q - 1n))
  const parts = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const jwk = Object.fromEntries(Object.entries(parts).map(([name, number]) => [name, encoded(number)]))
  return createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...jwk } })
}

const rsa = (modulusLength: number): KeyObject => generateKeyPairSync('rsa', { modulusLength }).privateKey
const jsonOf = (key: KeyObject): string =>
  JSON.stringify({
    client_email: 'sync@project.example.com',
    private_key: key.export({ type: 'pkcs8', format: 'pem' }),
  })

const read = (input: unknown) => {
  const { success, issues } = v.safeParse(ServiceAccountKey, input)
  return success ? 'taken' : issues[0].message
}

it.each([
  ['of 2048 bits', () => rsa(2048), 'taken'],
  ['of 1024 bits', () => rsa(1024), 'must have an RSA private key of 2048 to 8192 bits'],
  ['of 14,336 bits', longKey, 'must have an RSA private key of 2048 to 8192 bits'],
  [
    'of a curve',
    () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    'must have an RSA private key of 2048 to 8192 bits',
  ],
])('validates a key %s when it is entered', (_what, key, expected) => {
  expect(read(jsonOf(key()))).toBe(expected)
})

it.each([
  ['', "can't be blank"],
  ['x'.repeat(16_385), 'should be at most 16384 character(s)'],
  ['not JSON', 'taken'],
  ['{"private_key":"none"}', 'taken'],
])('accepts text that is no key, whose fault the run reports (%#)', (text, expected) => {
  expect(read(text)).toBe(expected)
})
