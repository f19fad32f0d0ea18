import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { beginSignIn, comeBack, ledTo } from '#test/support/sign-in.ts'
import { newSubject, type SignInWorld, signInWorld, stubProviders } from '#test/support/sign-in-world.ts'

let world: SignInWorld
beforeAll(async () => {
  world = await signInWorld()
})
beforeEach(() => stubProviders(world.fake))
afterAll(async () => {
  vi.unstubAllEnvs()
  await world.fake.close()
})

it('takes no answer of a sign-in that was begun with another address', async () => {
  const { fake, account } = world
  const provider = await world.behind('suite')
  const begun = await beginSignIn(provider.id, { slug: account.slug })
  const query = { state: begun.own, code: fake.codeFor(begun.url, { sub: newSubject() }) }
  const back = await comeBack({ home: `${begun.home}/${provider.id}` }, query)
  expect([back.status, ledTo(back)]).toEqual([303, { state: begun.state, error: 'access_denied' }])
  expect(fake.asked).not.toContain('token')
})
