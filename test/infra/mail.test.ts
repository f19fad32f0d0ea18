import { expect, it } from 'vitest'
import { type Templates, templatesOf } from '#test/support/service/templates.ts'

const sending = (templates: Templates) =>
  templates
    .entries('AWS::IAM::Policy')
    .flatMap(([id, { Properties }]) =>
      (Properties.PolicyDocument.Statement as { Action: string | string[]; Resource: unknown }[])
        .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('ses:')))
        .map((statement) => ({ id: id.replace(/DefaultPolicy.*/, ''), ...statement })),
    )

it("sends mails only from the deployment's address, and only about limits, syncs and passcodes", async () => {
  const statements = sending(await templatesOf([], { mailSender: 'access@example.net' }))
  expect(statements.map(({ id }) => id).sort()).toEqual([
    'RolesCompareLimits',
    'RolesMailPasscode',
    'RolesMailSyncErrors',
  ])
  for (const { Action, Resource } of statements) {
    expect(Action).toBe('ses:SendEmail')
    const text = JSON.stringify(Resource)
    expect(text.match(/:identity\/[^"]+/g)).toEqual([':identity/access@example.net', ':identity/example.net'])
  }
})

it('refuses an invalid sender', async () => {
  await expect(templatesOf([], { mailSender: '*' })).rejects.toThrow('must be an email address')
})

it('sends no mails without a configured sender', async () => {
  const templates = await templatesOf([])
  expect(sending(templates)).toEqual([])
  expect(JSON.stringify(templates.stacks)).not.toContain('MAIL_SENDER')
})
