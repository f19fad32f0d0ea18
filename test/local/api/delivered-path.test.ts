import { describe, expect, it } from 'vitest'
import { deliveredPath, router } from '#infra/local/api/routes.ts'

describe('a path is delivered as an HTTP API delivers it to a function', () => {
  // Paths as delivered by an HTTP API with a default route in us-west-2 (docs/decisions/0033).
  it.each([
    ['/capture/plain', '/capture/plain'],
    ['/capture/space%20value', '/capture/space value'],
    ['/capture/question%3Fvalue', '/capture/question'],
    ['/capture/hash%23value', '/capture/hash#value'],
    ['/capture/slash%2Fvalue', '/capture/slash/value'],
    ['/capture/unicode-%CE%BB-%E4%B8%96%E7%95%8C', '/capture/unicode-λ-世界'],
    ['/capture/literal%252Fvalue', '/capture/literal/value'],
    ['/capture/literal%253Fvalue', '/capture/literal?value'],
    ['/capture/literal%2525value', '/capture/literal%value'],
  ])('%s → %s', (sent, rawPath) => {
    expect(deliveredPath(sent)?.rawPath).toBe(rawPath)
  })

  it.each(['/capture/percent%25done', '/capture/%zz', '/capture/%ff', '/capture/%'])('refuses %s', (sent) => {
    expect(deliveredPath(sent)).toBeNull()
  })

  it.each(['/groups/', '//groups', '/groups/./a', '/groups/../a', '/a+b', '/'])('leaves %s unchanged', (sent) => {
    expect(deliveredPath(sent)).toEqual({ routed: sent, rawPath: sent })
  })
})

describe('a value in a path', () => {
  const match = router(
    ['$default', 'GET /v0/users/{id_or_email}', 'ANY /v0/{proxy+}'].map((key) => ({ key, target: key })),
  )
  const delivered = (path: string) => match('GET', deliveredPath(path)?.routed ?? '/')

  it.each(['a/b@example.com', 'a?b@example.com', 'a%b@example.com', 'a%2Fb@example.com', 'a+b#c@example.com', 'ü /@x'])(
    'is delivered unchanged if it is encoded twice: %s',
    (email) => {
      const twice = encodeURIComponent(encodeURIComponent(email))
      expect(delivered(`/v0/users/${twice}`)).toMatchObject({
        key: 'GET /v0/users/{id_or_email}',
        parameters: { id_or_email: email },
      })
    },
  )

  it('becomes two segments if its slash is encoded only once', () => {
    expect(delivered('/v0/users/a%2Fb@example.com')).toMatchObject({
      key: 'ANY /v0/{proxy+}',
      parameters: { proxy: 'users/a/b@example.com' },
    })
  })
})
