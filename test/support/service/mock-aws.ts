import { mockClient } from 'aws-sdk-client-mock'
import { afterAll } from 'vitest'

/** Mocks an AWS client. Restores the client at the end of the test file, because test files share processes. */
export const mockAws: typeof mockClient = (client) => {
  const mock = mockClient(client)
  afterAll(() => mock.restore())
  return mock
}
