import { mockClient } from 'aws-sdk-client-mock'
import { afterAll } from 'vitest'

/** Replaces a client of AWS until the end of a test file. Files share processes, so a mock that stayed would answer the next one. */
export const mockAws: typeof mockClient = (client) => {
  const mock = mockClient(client)
  afterAll(() => mock.restore())
  return mock
}
