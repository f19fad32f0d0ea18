import { afterEach, expect, it, vi } from 'vitest'
import { serviceAddress } from '#shared/core/service-address.ts'

afterEach(() => vi.unstubAllEnvs())

it('is the configured address, for any host of the request', () => {
  vi.stubEnv('SERVICE_URL', 'https://access.example.com/')
  expect(serviceAddress('abc.execute-api.eu-central-1.amazonaws.com')).toBe('https://access.example.com')
  expect(serviceAddress()).toBe('https://access.example.com')
})

it('is the host of the API if none is configured', () => {
  vi.stubEnv('SERVICE_URL', '')
  expect(serviceAddress('abc.execute-api.eu-central-1.amazonaws.com')).toBe(
    'https://abc.execute-api.eu-central-1.amazonaws.com',
  )
})

it('is never guessed', () => {
  vi.stubEnv('SERVICE_URL', '')
  expect(() => serviceAddress()).toThrow('SERVICE_URL is missing')
})
