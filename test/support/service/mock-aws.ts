import { mockClient } from 'aws-sdk-client-mock'
import { afterAll } from 'vitest'

/** Mocks a client of AWS until the end of the test file, because files share processes. */
export const mockAws: typeof mockClient = (client) => {
  const mock = mockClient(client)
  afterAll(() => mock.restore())
  return mock
}
