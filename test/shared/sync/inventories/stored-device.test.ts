import { expect, it } from 'vitest'
import { deviceId, differences, toStoredFields } from '#shared/sync/inventories/stored-device.ts'

it('keeps the fields of A28.2 with a value of their type, truncated to the stored length (I7.3)', () => {
  expect(
    toStoredFields({
      tags: ['b', 'x'.repeat(2_000)],
      device_name: `${'x'.repeat(1_023)}🖥️🖥️`,
      is_supervised: true,
      is_encrypted: 'true',
      physical_memory_bytes: 1e300,
      device_capacity_gb: 494.38,
      attestation_reset_count: 0,
      serial_number: null,
      activation_lock_bypass_code: 'never',
      device_action_results: [{ state: 'done', name: 'restart', at: null }],
    }),
  ).toEqual({
    device_name: `${'x'.repeat(1_023)}🖥`,
    is_supervised: true,
    device_capacity_gb: 494.38,
    attestation_reset_count: 0,
    tags: ['b', 'x'.repeat(1_024)],
    device_action_results: [{ name: 'restart', at: null, state: 'done' }],
  })
})

it('keeps the first hundred entries of a list', () => {
  const tags = Array.from({ length: 130 }, (_, i) => `tag ${i}`)
  const results = tags.map((action_name) => ({ action_name }))
  expect(toStoredFields({ tags, device_action_results: results })).toEqual({
    tags: tags.slice(0, 100),
    device_action_results: results.slice(0, 100),
  })
})

it('gives equal devices equal fields, independent of the order of their fields', () => {
  const one = toStoredFields({ model: 'M', device_name: 'D', device_action_results: [{ b: 'x', a: 'y' }] })
  const other = toStoredFields({ device_action_results: [{ a: 'y', b: 'x' }], device_name: 'D', model: 'M' })
  expect(JSON.stringify(one)).toBe(JSON.stringify(other))
  expect(differences(one, other)).toEqual({ before: {}, after: {} })
  // Reorders the keys of a stored object, as DynamoDB may do.
  const stored = { ...one, device_action_results: [{ b: 'x', a: 'y' }] }
  expect(differences(stored, one)).toEqual({ before: {}, after: {} })
  expect(differences(one, { device_name: 'E' })).toMatchObject({
    before: { model: 'M', device_name: 'D' },
    after: { model: null, device_name: 'E', device_action_results: null },
  })
})

it('uses the id of the vendor if it is a UUID, else derives one from provider and vendor id (A28.2)', () => {
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
  expect(deviceId(dns, 'ABCDEF00-0000-4000-8000-00000000000A')).toBe('abcdef00-0000-4000-8000-00000000000a')
  // Expects the id of the example in RFC 9562, A.4.
  expect(deviceId(dns, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
  expect(deviceId(crypto.randomUUID(), 'www.example.com')).not.toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2')
})
