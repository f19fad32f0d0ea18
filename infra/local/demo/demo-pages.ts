import { Html, html } from '#shared/http/pages/html.ts'
import { pageAnswer } from '#shared/http/pages/page.ts'
import type { Person } from './demo-directory.ts'

const title = 'Demo company'

/**
 * Page on which a person confirms a sign-out, because any page can redirect to a sign-out.
 * @param form the provider's form, without buttons
 */
export const signOutPage = (form: string) =>
  pageAnswer({
    title,
    body: html`<h1>Sign out of the demo company?</h1>
${new Html(form)}
<p><button class="button first" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button></p>
<p><button class="button" form="op.logoutForm">Stay signed in</button></p>`,
  })

export const signedOutPage = () =>
  pageAnswer({
    title,
    body: html`<h1>You are signed out of the demo company</h1>
<p>You can close this window. At your next sign-in, you choose a person again.</p>`,
  })

/** Page for choosing a person. A real provider would require a password. */
export const choosePersonPage = (people: readonly Person[]) =>
  pageAnswer({
    title: 'Demo company',
    // Allows any form target, because the response redirects first to the service and then to the client's own address.
    formTargets: 'anywhere',
    body: html`<h1>Demo company</h1>
<p>This is the identity provider of a fictional company. Choose the person to sign in as:</p>
<form method="post">
${people.map(({ sub, name, email }) => html`<button class="button" name="sub" value="${sub}">${name} (${email})</button>`)}
<button class="button" name="sub" value="">Cancel the sign-in</button>
</form>`,
  })
