import { pairs, text } from './kinds.ts'
import { optional, setting } from './setting.ts'

/** What a deployment is called, and what everything in it carries. */
export const installSettings = {
  stackName: setting(
    text(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'a letter and up to 63 letters, digits and hyphens'),
    'NetworkAccess',
    "name of the service's stack, beginning of the others' and of names that CloudFormation makes up",
  ),
  prefix: optional(
    text(/^[a-z][a-z0-9-]{0,31}$/, 'a small letter and up to 31 of them, digits and hyphens'),
    'beginning of names that are spelled out',
    'made of `stackName`',
  ),
  // Each resource has them all in the template, of which CloudFormation takes 1 MB.
  tags: setting(pairs(40, 1_000), {}, 'tags of everything that can have some'),
  permissionsBoundary: optional(
    text(/^(arn:[^:]+:iam::(\d{12}|aws):policy\/\S{1,640}|[\w+=,.@-]{1,128})$/, 'the name or ARN of a managed policy'),
    'boundary of every role',
  ),
}
