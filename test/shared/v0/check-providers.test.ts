import fc from 'fast-check'
import { expect, it } from 'vitest'
import { webAddressMessages } from '#shared/v0/check-providers.ts'

it.each([
  'https://access.example.net/cb',
  'http://access.example.net',
  'HTTPS://ACCESS.example.net/CB',
  'https://access.example.net:8443/cb?x=1&y=%5B%5D',
  'https://user:secret@access.example.net/cb#top',
  'https://192.0.2.1/cb',
  'https://[2001:db8::1]:8443/cb',
  'https://[v1.x]/cb',
  'https://localhost:/cb',
  'https://a.example/%7Euser/(x);y=1,2?q=/?',
])('%s is an http or https address', (text) => expect(webAddressMessages(text)).toEqual([]))

it.each([
  ['callback', 'does not contain a scheme or a host'],
  ['/cb', 'does not contain a scheme or a host'],
  ['#cb', 'does not contain a scheme or a host'],
  ['https:', 'does not contain a scheme or a host'],
  ['https:/cb', 'does not contain a scheme or a host'],
  ['https:///cb', 'does not contain a scheme or a host'],
  ['mailto:ana@example.net', 'does not contain a scheme or a host'],
  ['urn:x:y', 'does not contain a scheme or a host'],
  ['//host/cb', 'does not contain a scheme'],
  ['//192.0.2.1', 'does not contain a scheme'],
  ['ftp://host/cb', 'only http, https schemes are supported'],
  ['httpss://host/cb', 'only http, https schemes are supported'],
  ['a b', 'is invalid'],
  ['   ', 'is invalid'],
  ['https://ho st/cb', 'is invalid'],
  [' https://host/cb', 'is invalid'],
  ['https://host/cb\n', 'is invalid'],
  ['https://host:port/cb', 'is invalid'],
  ['https://host:1:2/cb', 'is invalid'],
  ['https://[2001:db8::1/cb', 'is invalid'],
  ['https://[192.0.2.1]/cb', 'is invalid'],
  ['https://[fe80::1%25eth0]/cb', 'is invalid'],
  ['https://host/%zz', 'is invalid'],
  ['https://host/cb?x=[]', 'is invalid'],
  ['https://host/cb#a#b', 'is invalid'],
  ['https://hôte.example/cb', 'is invalid'],
  ['https://host/<cb>', 'is invalid'],
  ['1https://host/cb', 'is invalid'],
  ['://host/cb', 'is invalid'],
])('%j: %s', (text, message) => expect(webAddressMessages(text)).toEqual([message]))

it("accepts any URL with a scheme and host of the web, as Node's URL parser reads it", () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
      expect(webAddressMessages(text), text).toEqual([])
      expect(URL.canParse(text)).toBe(true)
      expect(webAddressMessages(text.replace(/^https?:/, ''))).toEqual(['does not contain a scheme'])
      expect(webAddressMessages(text.replace(/^https?/, 'ftp'))).toEqual(['only http, https schemes are supported'])
    }),
    { numRuns: 40 },
  )
})
