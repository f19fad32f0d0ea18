import { CfnOutput } from 'aws-cdk-lib'
import { CfnApiMapping, CfnDomainName } from 'aws-cdk-lib/aws-apigatewayv2'
import { Construct } from 'constructs'

type Props = { domainName: string; certificateArn: string; ipAddressType: string; apiId: string; stage: string }

/** The service's own name, in place of the address that API Gateway makes up. Whoever runs the DNS points it at the target. */
export class CustomDomain extends Construct {
  readonly target: string

  constructor(scope: Construct, id: string, { domainName, certificateArn, ipAddressType, apiId, stage }: Props) {
    super(scope, id)
    const domain = new CfnDomainName(this, 'Name', {
      domainName,
      domainNameConfigurations: [
        { certificateArn, ipAddressType, endpointType: 'REGIONAL', securityPolicy: 'TLS_1_2' },
      ],
    })
    new CfnApiMapping(this, 'Mapping', { apiId, stage, domainName: domain.ref })
    this.target = domain.attrRegionalDomainName
    new CfnOutput(this, 'DomainTarget', { value: this.target }).overrideLogicalId('DomainTarget')
  }
}
