import { describe, expect, it } from 'vitest'
import { acceptedWords, parseOriginSecret } from '#shared/core/secrets/origin-secret.ts'

describe('the words of the origin secret', () => {
  it('are the previous, current and next one, or any words of another CDN', () => {
    expect(acceptedWords('{"previous":"a","current":"b","next":"c"}')).toEqual(['a', 'b', 'c'])
    expect(acceptedWords('{"current":"b"}')).toEqual(['b'])
    expect(acceptedWords(' old\nnew ')).toEqual(['old', 'new'])
  })

  it('are never empty, so that an empty header is no proof', () => {
    expect(acceptedWords(' \n ')).toEqual([])
    expect(acceptedWords('{"previous":"","current":"b"}')).toEqual(['b'])
  })

  it.each(['{"next":"hunter2"}', '{"current":""}', '{', '{hunter2}', '{"current":"hunter2"'])(
    'refuse %s without exposing it',
    (text) => {
      const thrown = (() => {
        try {
          acceptedWords(text)
        } catch (error) {
          return error as Error
        }
      })()
      expect(thrown).toBeInstanceOf(Error)
      expect(`${thrown?.stack} ${thrown?.cause}`).not.toContain('hunter2')
    },
  )
})

it('are read as they were written', () => {
  const secret = { previous: 'a', current: 'b', next: 'c' }
  expect(parseOriginSecret(JSON.stringify(secret))).toEqual(secret)
})
