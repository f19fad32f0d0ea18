import { CfnOutput } from 'aws-cdk-lib'
import { CfnApiMapping, CfnDomainName } from 'aws-cdk-lib/aws-apigatewayv2'
import { Construct } from 'constructs'

/** Maps a custom domain to an API. Returns the target for the operator's DNS record; null without a domain. */
export function customDomain(
  scope: Construct,
  domainName: string | null,
  certificateArn: string | null,
  ipAddressType: string,
  mapping: { apiId: string; stage: string; apiMappingKey?: string },
  output: string,
): string | null {
  if (domainName === null || certificateArn === null) return null
  const domainScope = new Construct(scope, 'Domain')
  const configuration = { certificateArn, ipAddressType, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' }
  const domain = new CfnDomainName(domainScope, 'Name', { domainName, domainNameConfigurations: [configuration] })
  new CfnApiMapping(domainScope, 'Mapping', { ...mapping, domainName: domain.ref })
  const target = domain.attrRegionalDomainName
  new CfnOutput(domainScope, output, { value: target }).overrideLogicalId(output)
  return target
}
