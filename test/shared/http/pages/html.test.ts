import { expect, it } from 'vitest'
import { html } from '#shared/http/pages/html.ts'

it('escapes all values in text and in quoted attributes', () => {
  const hostile = `"><script>alert('1')</script>&amp;`
  expect(html`<a title="${hostile}">${hostile}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
      '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</a>',
  )
})

it('inserts HTML unchanged, joins lists, and omits undefined values', () => {
  expect(html`${[1, 2].map((n) => html`<li>${n}</li>`)}${null}${false}${''}`.text).toBe('<li>1</li><li>2</li>')
})
