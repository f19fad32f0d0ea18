import { expect, it } from 'vitest'
import { graph } from '#shared/sync/providers/graph.ts'

const api = 'https://graph.example.com'
const connection = { tokenUrl: 'https://tokens.example.com', apiUrl: api, clientId: 'app', clientSecret: 'secret' }

it.each([
  'https://other.example/v1.0/users?page=2',
  'x:.other.example/v1.0/users?page=2',
  'mailto:@other.example/v1.0/users?page=2',
  'data:,?page=2',
])('requests the page behind %s from the configured host alone (I1.2)', async (next) => {
  const hosts: string[] = []
  const list = graph(
    connection,
    async (address) => {
      const { host } = new URL(address)
      if (host === 'tokens.example.com')
        return Response.json({ access_token: 'token', token_type: 'Bearer', expires_in: 3_600 })
      hosts.push(host)
      return Response.json({ value: [], ...(hosts.length === 1 && { '@odata.nextLink': next }) })
    },
    [],
    { perSecond: 1_000, burst: 1_000 },
  )
  const first = await list('users', {}, null)
  await list('users', {}, first.next)
  expect(hosts).toEqual(['graph.example.com', 'graph.example.com'])
})
