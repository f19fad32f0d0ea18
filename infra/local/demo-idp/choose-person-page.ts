import { html } from '#shared/http/pages/html.ts'
import { pageAnswer } from '#shared/http/pages/page.ts'
import type { Person } from './people.ts'

/** Asks who it is. A real provider would ask for a password; here everybody may be anybody. */
export const choosePersonPage = (people: readonly Person[]) =>
  pageAnswer({
    title: 'Demo company',
    // The answer leads on to the service, and from there to wherever the client listens.
    formTargets: 'anywhere',
    body: html`<h1>Demo company</h1>
<p>The identity provider of a company that is not there. Who are you?</p>
<form method="post">
${people.map(({ sub, name, email }) => html`<button class="button" name="sub" value="${sub}">${name} (${email})</button>`)}
<button class="button" name="sub" value="">Nobody: refuse</button>
</form>`,
  })
