"""Writes servers with Nova's own objects into Nova's own databases, as a compute host would.

Reads one order per line, as JSON, and writes one result per line.
"""
import datetime
import json
import sys
import uuid

import nova.monkey_patch  # noqa: F401  Nova's objects expect it
from nova import config, context, objects
from nova.compute import power_state, vm_states
from nova.db.api import api as api_db
from nova.db.main import api as main_db
from nova.network import model
from oslo_utils import timeutils

POWER = {vm_states.ACTIVE: power_state.RUNNING, vm_states.STOPPED: power_state.SHUTDOWN,
         vm_states.PAUSED: power_state.PAUSED, vm_states.ERROR: power_state.NOSTATE}


class Fleet:
    def __init__(self, configuration):
        config.parse_args(['fleet', '--config-file', configuration])
        objects.register_all()
        self.admin = context.get_admin_context()
        self.cells = {}

    def prepare(self, transport, database, cell_database, flavors, zones):
        """Cells, flavors, hosts and zones."""
        for number, (name, key, url) in enumerate((('cell0', objects.CellMapping.CELL0_UUID, 'none:///'),
                                                   ('cell1', str(uuid.uuid4()), transport))):
            mapping = objects.CellMapping(self.admin, uuid=key, name=name, transport_url=url,
                                          database_connection=(database, cell_database)[number])
            mapping.create()
            self.cells[name] = mapping
        for flavor in flavors:
            objects.Flavor(self.admin, rxtx_factor=1.0, vcpu_weight=0, disabled=False, is_public=True, **flavor).create()
        cell = self.cells['cell1']
        with context.target_cell(self.admin, cell) as ctx:
            for zone, hosts in zones.items():
                aggregate = None
                if zone != 'nova':                         # the zone of hosts without an aggregate
                    aggregate = objects.Aggregate(self.admin, name=zone, metadata={'availability_zone': zone})
                    aggregate.create()
                for host in hosts:
                    service = objects.Service(ctx, host=host, binary='nova-compute', topic='compute', report_count=1,
                                              last_seen_up=timeutils.utcnow())
                    service.create()
                    objects.HostMapping(self.admin, host=host, cell_mapping=cell).create()
                    objects.ComputeNode(
                        ctx, uuid=str(uuid.uuid4()), host=host, service_id=service.id, hypervisor_hostname=host + '.example',
                        hypervisor_type='QEMU', hypervisor_version=7002000, vcpus=64, vcpus_used=0, memory_mb=262144,
                        memory_mb_used=0, local_gb=4000, local_gb_used=0, free_ram_mb=262144, free_disk_gb=4000,
                        disk_available_least=4000, current_workload=0, running_vms=0, cpu_info='', host_ip='192.0.2.10',
                        mapped=1).create()
                    if aggregate:
                        aggregate.add_host(host)

    def owner(self, project, user):
        return context.RequestContext(user_id=user, project_id=project, is_admin=True)

    def keypair(self, user, name):
        objects.KeyPair(self.admin, user_id=user, name=name, type='ssh', public_key=f'ssh-ed25519 AAAA {name}',
                        fingerprint='00:11:22:33').create()

    def add(self, name, project, user, image, flavor='2', zone='nova', host='compute-01', vm_state='active', ports=(),
            volumes=(), boots_from_volume=False, metadata=None, tags=(), key=None, locked=False, created=None, fault=None,
            image_properties=None, description=None, task_state=None, has_spec=True):
        """Records a server as it is after its boot. One without a host failed to boot and is in cell0, as in Nova."""
        server = str(uuid.uuid4())
        created = datetime.datetime.fromisoformat(created) if created else timeutils.utcnow().replace(microsecond=0)
        owner = self.owner(project, user)
        flavor = objects.Flavor.get_by_flavor_id(owner, flavor)
        cell = self.cells['cell1' if host else 'cell0']
        system = {'image_base_image_ref': image, 'image_disk_format': 'qcow2', 'image_container_format': 'bare',
                  'image_min_ram': '0', 'image_min_disk': '1', 'boot_roles': 'member,reader'}
        system.update({'image_' + name: value for name, value in (image_properties or {}).items()})
        with context.target_cell(owner, cell) as ctx:
            objects.Instance(
                ctx, uuid=server, project_id=project, user_id=user, display_name=name,
                display_description=description or name, hostname='host', vm_state=vm_state,
                power_state=POWER.get(vm_state, power_state.NOSTATE), task_state=task_state, progress=0, host=host,
                node=host and host + '.example', launched_on=host, availability_zone=zone, launch_index=0, locked=locked,
                locked_by='owner' if locked else None,
                image_ref='' if boots_from_volume else image, kernel_id='', ramdisk_id='', root_device_name='/dev/vda',
                config_drive='', user_data=None, reservation_id='r-' + server[:8], flavor=flavor, old_flavor=None,
                new_flavor=None, instance_type_id=flavor.id, vcpus=flavor.vcpus, memory_mb=flavor.memory_mb,
                root_gb=flavor.root_gb, ephemeral_gb=flavor.ephemeral_gb, key_name=key,
                key_data=key and f'ssh-ed25519 AAAA {key}', metadata=metadata or {}, system_metadata=system,
                numa_topology=None, pci_requests=objects.InstancePCIRequests(requests=[]), vcpu_model=None,
                trusted_certs=None, resources=None, keypairs=objects.KeyPairList(objects=[]),
                info_cache=objects.InstanceInfoCache(network_info=network_info(ports)), created_at=created,
                updated_at=created, launched_at=created if host else None).create()
            for tag in tags:
                objects.Tag(ctx, resource_id=server, tag=tag).create()
            for number, volume in enumerate(volumes):
                is_root = boots_from_volume and number == 0
                disk(ctx, server, 'abcdefgh'[number if boots_from_volume else number + 1], source_type='volume',
                     destination_type='volume', boot_index=0 if is_root else None, volume_id=volume,
                     delete_on_termination=is_root)
            if not boots_from_volume:
                disk(ctx, server, 'a', source_type='image', destination_type='local', boot_index=0, image_id=image,
                     delete_on_termination=True)
            if fault:
                objects.InstanceFault(ctx, instance_uuid=server, code=500, message=fault, details='', host=host).create()
        if has_spec:                                       # Nova writes one for each server that it boots
            requests = objects.InstancePCIRequests(requests=[])
            objects.RequestSpec.from_components(owner, server, {'id': image}, flavor, None, requests, {}, None, zone).create()
        objects.InstanceMapping(owner, instance_uuid=server, project_id=project, user_id=user, cell_mapping=cell,
                                queued_for_delete=False).create()
        return server

    def opened(self, server):
        """The mapping of a server and the context of its cell."""
        mapping = objects.InstanceMapping.get_by_instance_uuid(self.admin, server)
        return mapping, context.target_cell(self.admin, mapping.cell_mapping)

    def change(self, server, **values):
        """Sets columns of the instance, such as vm_state, task_state or display_name."""
        _, cell = self.opened(server)
        with cell as ctx:
            instance = objects.Instance.get_by_uuid(ctx, server)
            if 'vm_state' in values:
                values = {'power_state': POWER.get(values['vm_state'], power_state.NOSTATE), 'task_state': None, **values}
            for name, value in values.items():
                setattr(instance, name, value)
            instance.save()

    def delete(self, server):
        mapping, cell = self.opened(server)
        mapping.queued_for_delete = True
        mapping.save()
        with cell as ctx:
            instance = objects.Instance.get_by_uuid(ctx, server)
            instance.vm_state, instance.power_state, instance.task_state = vm_states.DELETED, power_state.NOSTATE, None
            instance.terminated_at = timeutils.utcnow()
            instance.save()
            instance.destroy()                             # soft: sets deleted and deleted_at

    def copy(self, server, count, prefix=''):
        """Adds many servers that are like one. One statement per table: 10,000 servers take seconds."""
        hashed = f"md5(concat('{prefix}',s.seq))"
        key = f"concat(substr({hashed},1,8),'-',substr({hashed},9,4),'-4',substr({hashed},14,3),'-8'," \
              f"substr({hashed},18,3),'-',substr({hashed},21,12))"
        replaced = {'uuid': key, 'instance_uuid': key, 'display_name': "concat(t.display_name,'-',s.seq)",
                    'created_at': 't.created_at - interval (s.seq div 3) second',
                    'updated_at': 't.updated_at - interval (s.seq div 3) second'}

        def copy_rows(engine, table, column, own=()):
            columns = [row[0] for row in engine.execute(f'show columns from {table}') if row[0] != 'id']
            values = [own.get(name) if name in own else replaced.get(name, f't.`{name}`') for name in columns]
            names = ','.join(f'`{name}`' for name in columns)
            engine.execute(f"insert into {table} ({names}) select {','.join(values)} from {table} t, "
                           f"seq_1_to_{int(count)} s where t.{column}='{server}'")

        with context.target_cell(self.admin, self.cells['cell1']) as ctx:
            with main_db.get_context_manager(ctx).writer.using(ctx) as session:
                engine = session.connection()
                engine.execute('set foreign_key_checks=0')
                copy_rows(engine, 'instances', 'uuid')
                for table in ('instance_extra', 'instance_info_caches', 'instance_system_metadata', 'instance_metadata'):
                    copy_rows(engine, table, 'instance_uuid')
                copy_rows(engine, 'block_device_mapping', 'instance_uuid', {'uuid': 'uuid()'})
        with api_db.context_manager.writer.using(self.admin) as session:
            copy_rows(session.connection(), 'instance_mappings', 'instance_uuid')


def disk(ctx, server, letter, **values):
    objects.BlockDeviceMapping(ctx, uuid=str(uuid.uuid4()), instance_uuid=server, device_name='/dev/vd' + letter,
                               device_type='disk', disk_bus='virtio', no_device=False, connection_info=None, **values).create()


def network_info(ports):
    """Nova's cached copy of Neutron's ports."""
    cards = model.NetworkInfo()
    for port in ports:
        subnets = []
        for fixed in port['fixed_ips']:
            version = 6 if ':' in fixed['ip_address'] else 4
            address = model.FixedIP(address=fixed['ip_address'], version=version)
            if version == 4 and port.get('floating_ip'):
                address.add_floating_ip(model.IP(address=port['floating_ip'], type='floating', version=4))
            subnets.append(model.Subnet(cidr=fixed['cidr'], version=version, dns=[], routes=[], ips=[address],
                                        gateway=model.IP(address=fixed['gateway'], type='gateway')))
        cards.append(model.VIF(
            id=port['id'], address=port['mac_address'], type='ovs', active=True, vnic_type='normal', profile={},
            devname='tap' + port['id'][:11], ovs_interfaceid=port['id'], details={}, preserve_on_delete=False,
            network=model.Network(id=port['network_id'], bridge='br-int', label=port['network_name'], subnets=subnets)))
    return cards


fleet = Fleet(sys.argv[1])
print(json.dumps({'result': 'ready'}), flush=True)
for line in sys.stdin:
    order = json.loads(line)
    try:
        answer = {'result': getattr(fleet, order.pop('call'))(**order)}
    except Exception as error:                             # told to the test, which fails
        answer = {'error': f'{type(error).__name__}: {error}'}
    print(json.dumps(answer), flush=True)
