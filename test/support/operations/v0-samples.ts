import { publicKey } from '../access/public-key.ts'
import { newEmail, newV0Address } from '../accounts/v0.ts'
import type { Request, Sample } from './sample-requests.ts'

type Make = (name: string, request?: Request) => Promise<{ id: string }>

export function addV0Samples(samples: Record<string, Sample>, make: Make): void {
  let duration = 0
  const user = () => make('POST /v0/users', { body: { user: { email: newEmail() } } })
  const userPath = async () => ({ params: { id_or_email: (await user()).id } })

  const device = async () => ({ user_id: (await user()).id, public_key: publicKey() })
  const devicePath = async () => ({
    params: { id: (await make('POST /v0/devices', { body: { device: await device() } })).id },
  })

  const rulePath = async () => ({
    params: { id: (await make('POST /v0/rules', { body: { rule: { destination: newV0Address() } } })).id },
  })

  Object.assign(samples, {
    'GET /v0/configuration': () => ({}),
    'PATCH /v0/configuration': () => ({ body: { configuration: { vpn_session_duration: ++duration } } }),
    'GET /v0/devices': () => ({ query: { limit: '50' } }),
    'POST /v0/devices': async () => ({ body: { device: await device() } }),
    'GET /v0/devices/{id}': devicePath,
    'PATCH /v0/devices/{id}': async () => ({ ...(await devicePath()), body: { device: { description: 'spare' } } }),
    'DELETE /v0/devices/{id}': devicePath,
    'GET /v0/rules': () => ({ query: { limit: '50' } }),
    'POST /v0/rules': () => ({ body: { rule: { destination: newV0Address() } } }),
    'GET /v0/rules/{id}': rulePath,
    'PATCH /v0/rules/{id}': async () => ({ ...(await rulePath()), body: { rule: { destination: newV0Address() } } }),
    'DELETE /v0/rules/{id}': rulePath,
    'GET /v0/users': () => ({ query: { limit: '50' } }),
    'POST /v0/users': () => ({ body: { user: { email: newEmail() } } }),
    'GET /v0/users/{id_or_email}': userPath,
    'PATCH /v0/users/{id_or_email}': async () => ({ ...(await userPath()), body: { user: { email: newEmail() } } }),
    'DELETE /v0/users/{id_or_email}': userPath,
  } satisfies Record<string, Sample>)
}
