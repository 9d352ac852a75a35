BEGIN TRANSACTION;
CREATE TABLE hippo_call (
	study BIGINT NOT NULL, 
	call BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	record TEXT NOT NULL, 
	state TEXT NOT NULL, 
	device_seconds_before FLOAT NOT NULL, 
	PRIMARY KEY (study, call)
);
INSERT INTO "hippo_call" VALUES(1,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(2,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(3,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(4,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(5,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 2}','complete',0.0);
INSERT INTO "hippo_call" VALUES(6,0,0,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(6,1,1,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',2.668144996277987957e-03);
INSERT INTO "hippo_call" VALUES(6,2,2,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',3.0481029971269890666e-03);
INSERT INTO "hippo_call" VALUES(7,0,0,'{"tuner": "streaming"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(8,0,0,'{"tuner": "streaming"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(7,1,1,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',1.90062600449891760945e-03);
INSERT INTO "hippo_call" VALUES(8,1,1,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',2.65010899420303758233e-03);
INSERT INTO "hippo_call" VALUES(7,2,2,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',1.90062600449891760945e-03);
INSERT INTO "hippo_call" VALUES(8,2,2,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',1.06964559890911914408e-02);
INSERT INTO "hippo_call" VALUES(9,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(10,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(11,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(9,1,1,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',2.51222499537107069045e-03);
INSERT INTO "hippo_call" VALUES(10,1,1,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',2.33042500258306972682e-03);
INSERT INTO "hippo_call" VALUES(11,1,1,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',2.14253500053018797188e-03);
INSERT INTO "hippo_call" VALUES(12,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(13,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(12,1,1,'{"extra_steps": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 6}','complete',2.95683200238272547721e-03);
INSERT INTO "hippo_call" VALUES(13,1,1,'{"extra_steps": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 6}','complete',2.97356180053611751645e-02);
INSERT INTO "hippo_call" VALUES(14,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(15,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(16,0,0,'{"tuner": "streaming"}','failed',0.0);
INSERT INTO "hippo_call" VALUES(17,0,0,'{"tuner": "streaming"}','failed',0.0);
INSERT INTO "hippo_call" VALUES(18,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(19,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(20,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(21,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(22,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(23,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
CREATE TABLE hippo_checkpoint (
	"plan" BIGINT NOT NULL, 
	"key" VARCHAR(255) NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	sha256 TEXT NOT NULL, 
	state_hash TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	study BIGINT NOT NULL, 
	gone TEXT NOT NULL, 
	PRIMARY KEY ("plan", "key")
);
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e1-l1-n1-s2',1,2,149,'f8a3f93a37c00e88ce9aec8021cfca7b48e9800e6de18848e520ba66bc1e4258','81608b9055b377a465c56b4e992e972e2d460886e8656929c66c2db1d5ae499b',7.34099994588177651166e-05,1,'missing');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e1-l4-n1-s2',1,2,149,'438c402d0bfa393946654e6ae8021c06e083ed1ed346ae4561ec85dc029b3441','3bec757eb724b8f7f5c9bcce718cb8d6412c447b5daedf17153e0344cea75e95',8.5888999819871969521e-05,3,'missing');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e5-l4-n4-s2',4,2,149,'3429f02cc3ab8a50e477b3409ddf8f55c7990bb760a98e83806b25bfc4ffb5c0','ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0',9.67739997577155e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e5-l5-n5-s4',5,4,149,'d532e0d17d17d206f7a49296f728e60c8f9f730faabbc3efa20eaa5655f21a4e','c6c5ed2db70247d111ed0a2d562895870fd6587cde669889fc0de7c1e0f7108c',8.34849997772835195064e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e5-l6-n5-s8',5,8,149,'d6b319d943050f0887f7bd9bc06d45c70a5e6808ea145236b1d48cea2a59e734','7ccf99507720545ab465d548971ed34b76068852a4df47d63779e8878eaeffe5',8.45060003484832122921e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e6-l7-n6-s3',6,3,149,'8f1c0d51b813bc77b1665379d5e38695fe05d7e60cfdf351fa8e831d13969398','8f87b52ea89e85a609579d42e1d1d059185fdbff14b82529aecc291ade59c2dc',9.16069984668865799903e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e7-l11-n1-s4',1,4,149,'8d436d2080b0cf5beb378056a72adbaff16066702b0e23b3e5a5061b9129d4e5','40bfd8acb39008f8fc629cef63fe26a3bf4bb9a39eff8bc1657b8beb0a372b4f',7.10259992047213e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e2-l12-n4-s2',4,2,149,'ae9eea2e452f180ca9abef74916a7868480466192782a92023b4cdca74a7462d','f89007e3e104f22f3cb4f135c5798ae243cd19a35b647752c69c8a3d6b79e68b',8.04899991635466e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e8-l13-n7-s2',7,2,149,'562fb6ddfce12d3014856db82bfb0321550e64aae037171eeb7166ba65e572e0','c24331926e9a3fa6b70a88044be9e146aad54426bf2a568a5dbd40c787364b79',5.90290001127868890762e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e2-l14-n4-s4',4,4,149,'fb25d107b07e80dcffdb9a97eded53401819c19496bc9bd99e0f002b2d77b39d','3f6c1e6a76ab985747271cc33e4b7047def94b02fec9ad7cb90d514f36c3356d',5.94289995206054300069e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e8-l15-n7-s4',7,4,149,'993f3cf3d2857ff2e4b311821bd0f76f973003398171ee7e9d6a49bf968dd520','7b360b708c96252fa1ce14c47cc443d2013082d5fdd761922bab9e7f7a37c99f',5.96990012127207592129e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e2-l16-n5-s2',5,2,149,'e0196cd0a4e59d6b4dd5a559152edb6aec54da31b7f822726d66304703392313','b24a71e32f50cf1c7153914a93700c3aec4af0fa151806f6280e9c487f3778b3',6.19129987171618267893e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e8-l17-n8-s2',8,2,149,'e07a8dbba1e3d0b98e5ad707ac30a2aa5c160671d3c9ae6692e7363b9e46a47c','5d088ba1ca5e0e8559a355fb19e4696ab5388762e77325dea1dbc23b37e9974f',5.64540005143499e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e2-l18-n6-s2',6,2,149,'f65d25ee100ca3696b8f694837563f3345121e769384facb009f3ac0b4d479c6','16e61b832fa0c2e7e967e965da8fe80437fd30e40848142105640840645f14ba',6.16920005995780229568e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e8-l19-n9-s2',9,2,149,'49837bf358b41670df0f3d5d5058e47291ca77f70a9f334c1997d18ee5b64613','44d6ace46f7d7ba1c67ab9ecbcb01161a070b5244f417c89f2eb477ad9fcd302',5.99100003455532714724e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e8-l20-n10-s2',10,2,149,'970b5684cf27744174538996444422be675cd3fdd64a0c2a5880186c0f5a112c','6dd45e138dbd40b70e1974e4f00bff0d96be4806206edf6a67c31de4c546a3ac',5.99300001340452581644e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e2-l21-n7-s2',7,2,149,'b669d48e586a99a4a7e8b3a97f9e8a079baf8e6db7baecadd59b555dcbb753d8','c9a1608d29b793a344f5412c2412446b3f6b59aadb303e91655824ac14164f6b',5.78760009375400841236e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e8-l22-n10-s4',10,4,149,'c2627cbf29277c4f94bea5902f9aa7f8fa2976e67cf26ba34f4b9db046cd59e3','5b9fd77ba6e56062d329fe4c6e76843db24c6244b33d48414dfec89b74a3ad91',5.97990001551806926727e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e2-l23-n7-s4',7,4,149,'80f16f81dcad91ab530319929e719d0c2d53ad4fd7ca245efa16e0afb78cfcf5','e920267c6ccfbfb537924d8e605a0c608a16a07c084522ed3281c21512016f43',5.80469986743992194533e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'65062c043ddf46feab044543b73de914/p1/e8-l24-n11-s2',11,2,149,'3e7b17961ec647db728b713ce56d8336ce0967649d30f1f8eeb298d3291ca50c','b8811bcff2c2822f57ff29afe6837f119bd85147e416556e9c9ee07232b4838d',7.938900125736836344e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e2-l25-n8-s2',8,2,149,'673deec29c0f02b6e5c4eb9386c141d8cc50a8286d553c2ba6391ec316d99d6c','4e585ae47a3fbb6d0cab636a69168908a1b8ce45e0bc23c33efba573c2937823',6.18419999227626249194e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e2-l26-n3-s4',3,4,149,'f0484799e1ee799b15d8df72c53e07113f8ac702a83b3cae0c431c4cd5749f80','fe6cd1c6e056bc3c5b53e524f6b93437daacbf827e569775f540b85ddfaa3bed',5.99689992668572813272e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e3-l27-n9-s2',9,2,149,'23fd29b74ce166943eb73c62b044b44bbe7fb2fe415f7e3243ad4c0c7243ae28','e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8',5.77060000068740919232e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e3-l28-n10-s4',10,4,149,'a3baa19c2e77755dc40d055d015f5f546f6fa0de42a4171a7bc991cd29617ee4','eb4956d93320110551e2cfda932fb7909b23e07f5c88499926cef3735443574b',6.0360000134096480906e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e4-l30-n11-s3',11,3,149,'bac8bb6640c4f69d6f0c06cdc4a8954374ecc1e8f46adbc516810ff01b922c71','43e94f03ee38d51e6f61df5a1523034a23aaff3162e79f59fed4a0a0ddfa1f2b',1.12979001642088405787e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'65062c043ddf46feab044543b73de914/p3/e1-l1-n1-s2',1,2,149,'5c99327d4e379d51f71ab587107e3147aa5f488bc6bbf265a5a64da20a444955','3d39ed117309851de4116e9162c7b29470c348b1598bd86d000512d95d358bf5',6.07410001975949853658e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'65062c043ddf46feab044543b73de914/p3/e1-l1-n2-s6',2,6,149,'ac46f0c30070c6405a59a64ac0eec2a24e8419f9589d676b09e5917451079ba6','106d8f7dc165040ea7a9eba188a1a49527a4192c7a5c3956d1a0c421894ed413',1.82580006367061287164e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'65062c043ddf46feab044543b73de914/p4/e1-l2-n1-s2',1,2,149,'6343a3b45846caf367d6a52f8ef4a0ce20f454966040c946bbb3142886d8e956','b84cfad7812a3c5335cfeaf8157470e8c94da25ce39643dab68088659b8f1c07',5.49119995412183925509e-05,10,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'65062c043ddf46feab044543b73de914/p4/e1-l2-n2-s6',2,6,149,'835d45531265dc41a35a455ab7415937e1d40daba626167934d52e5868e8b5a2','0a5835ad9be5026cb24c0eeaff96d4ada0f7e082c8af8a8a0d77d8b6ff62e933',1.32889999804319813847e-05,10,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'65062c043ddf46feab044543b73de914/p5/e1-l3-n1-s2',1,2,149,'7fc7c769e508cd5dc4d65af9ab3a9436a67a2b833b5bbea24363584454f885e7','b85e094b37ff205bc91eae32b959aa1ba3f3ebe41bf74b8de31dcdb33cfe85f0',5.49420001334510743618e-05,11,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'65062c043ddf46feab044543b73de914/p5/e1-l3-n2-s6',2,6,149,'4680cfc08a48f4b70d9fb42bf934a89a3dcbd7b910d79328ff263ee2b33b1090','8d4f756e901a086d9fca67c480a92504e36cbda5b422ed361ad16c600a777692',1.49020015669520944356e-05,11,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'65062c043ddf46feab044543b73de914/p3/e1-l4-n1-s3',1,3,149,'a9cd77ddad86044370fc2e282da9b57cf71cc21a86e7c7fd09c6481e75e6d02e','3f7b8440bc654a7a1182a6d860cb72f9a9046730f4257dcfafa0d3df37b9cc40',5.04649997310480102896e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'65062c043ddf46feab044543b73de914/p3/e1-l4-n3-s6',3,6,149,'b217e3fb8f9223d26340e9aa6afa0862b0a2cfcfd3f7927275356c5b396be057','202f806acc7426064f84bb24911dadd6ba3da8af9a9698372b1008a40ee1a07e',1.34810015879338607192e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'65062c043ddf46feab044543b73de914/p4/e1-l5-n1-s3',1,3,149,'a2c4cf13f311ddf2ab9ac5a41c969ffe803979bd620cf16538a47e5952b53ee7','629ad02a3ca49248f4d3aea1d0a82e2e7d3f6bd5b3f6f6d5f41c705519bc04a8',6.26830005785450339317e-05,10,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'65062c043ddf46feab044543b73de914/p4/e1-l5-n3-s6',3,6,149,'2b63d32080a4ae3b67577630edfa1827891fda814d38d7a12585252dc030d0a0','f7a8815999beee21d9d27cb6a179cf73dbc6cb74f53f09900a957f2aac0764f6',1.49930001498432829976e-05,10,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'65062c043ddf46feab044543b73de914/p5/e1-l6-n1-s3',1,3,149,'6dbdf090c25642fbeaba9ca3711a0ed990224d429b8064b2566a1875ef220068','9d1fee37b049ce1c0b882aa0fd421639b84a5003c9f7cffbe6cd90260a49d8d5',5.53520003450103104114e-05,11,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'65062c043ddf46feab044543b73de914/p5/e1-l6-n3-s6',3,6,149,'3ffcd3ddc0aafd874ac6b2e8c17e6460f03935e40a9311da76d5e8b85f004d87','d7cfb89d7bbda5db56f733ee273efffc29a6ad8caaffaacca5b9f7af2416e67e',1.30499993247212842106e-05,11,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'65062c043ddf46feab044543b73de914/p3/e1-l7-n1-s4',1,4,149,'14fcd6fadcbe7e12e63b2d4c0ac4ae15816864225d6ad68ee3765003b9c776d0','7d07a3e631e5ae1e87488ec07cb45356e09f4322f26461518244aaedfe479c98',5.65949994779657572507e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'65062c043ddf46feab044543b73de914/p3/e1-l7-n4-s6',4,6,149,'5a28bbae1f03ad442c0954626d5fb40b238d89c0dd0c0877e4f23345bdc9604f','cdb1ff3cf884afa1cff95e0bf9e9f0642a4296574b48da5a8dbeb9824736f590',1.31100005091866478323e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'65062c043ddf46feab044543b73de914/p4/e1-l8-n1-s4',1,4,149,'a7bb8c5447563913fd27f0977d8af1179987630e8044d589b4ac6c88e19a4ac3','bcae085497a4e65ee8826598eb50ae9bdb9b9aee1244dac8637c7a251e451445',5.92289998166961595416e-05,10,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'65062c043ddf46feab044543b73de914/p4/e1-l8-n4-s6',4,6,149,'dc86787f06e2c9b97df599324d052cf7f7d2adf5682f7c3c24f9078fc099ac59','3057041505e33f095b3ea8ef0b064d91d656a0afc7a4ce1a76bab241723b259a',1.24979997053742408752e-05,10,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'65062c043ddf46feab044543b73de914/p5/e1-l9-n1-s4',1,4,149,'1527576ebfa80aff52e77fb6b78545fd921da0105b41f9da3623f82e8f0005b1','6b82ed40479132b4af611811c5c692baae988cba3278d344ab5dccec28915dd9',5.61339984415099e-05,11,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'65062c043ddf46feab044543b73de914/p5/e1-l9-n4-s6',4,6,149,'b631d1e3073fb2639dc571fdd7e68bc246692f6d2bbe74e2f05e18bee83cb2ba','be536ccee8f6b9ae75ff1196844acfe7dfa9ad539d6c3b0fd9abe38dcf711176',1.25389997265301644802e-05,11,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'65062c043ddf46feab044543b73de914/p3/e1-l10-n1-s5',1,5,149,'2fc34b20409d719ec3501ac100f4aa70f969e06f5d2e677fd4abedcdfd77e590','ca7a5e0e2024f0cd92ba51500cba2fe760f61e5a3bee8ff2993ed5b5f4e844d2',5.77770006202627e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'65062c043ddf46feab044543b73de914/p3/e1-l10-n5-s6',5,6,149,'636eb5c821ee921afca1793fb3adf30fe77fb7a3b1062aa59db81dd58fe0163e','a8e2cf64d5f4d0d71dfc134bf1c80dbe87740e97ce8e38acef18701867925949',1.27489984151907265186e-05,9,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'65062c043ddf46feab044543b73de914/p4/e1-l11-n1-s5',1,5,149,'679b14012ce35b1635c47f3cb6de62596f47080533d006c4e445972444a97c0c','0735fe4163f7aa5e706eeb7c62f592aa607bdca5a78a6c2360bf87f2f6d4a67d',5.46810006198938935995e-05,10,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'65062c043ddf46feab044543b73de914/p4/e1-l11-n5-s6',5,6,149,'fc4f2558241bfda61764d009530002f837844c1c0b2c2f868fc5e1b840eadcd2','3137f7d9837d0f7499f7d7b991a881e04dd804082834032cdc7141716c2a8790',1.32799996208632364869e-05,10,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'65062c043ddf46feab044543b73de914/p5/e1-l12-n1-s5',1,5,149,'836e89ca8c347929a5d4e55898f6efa4271ead10535327dc8c0eaf247315e8ba','baf52bf43b40c23d50ac507d16d2af1a03cc4a7046113fb9d1aa493a698697f0',6.02300005994038656353e-05,11,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'65062c043ddf46feab044543b73de914/p5/e1-l12-n5-s6',5,6,149,'5db10a32cb2b62e95b90765520d57962ea85814006a4186442d84fc1a27b97d8','9b806778137175035b67b0f3b4ab694bbfe535c36a4cb07e0fac525757efdef3',1.47720002132700756192e-05,11,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e1-l1-n1-s2',1,2,149,'3429f02cc3ab8a50e477b3409ddf8f55c7990bb760a98e83806b25bfc4ffb5c0','ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0',6.21330000285524874925e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e1-l1-n2-s6',2,6,149,'dcd49db1653830076be015b6305884e284230e1c583e1ba922157136629ec107','b9c59c55c1fe0d3b17d09723229a3d23d418e2ac950f050ea6f03d1fec0410c2',1.92679999599931761622e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e1-l2-n1-s2',1,2,149,'23fd29b74ce166943eb73c62b044b44bbe7fb2fe415f7e3243ad4c0c7243ae28','e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8',5.7125000239466316998e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e1-l2-n2-s6',2,6,149,'0fc4af6a64a57122f0c4969e7c7a139f52d372a8fb342eab6ee6e5fdc5006cf6','60daac999ac77fe06e6d1e1ac5d96bb03cd0f40959636f4a55bf2db0901e4358',5.30090001120697706937e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e1-l3-n3-s3',3,3,149,'e4d8295e4bbe9b25f46ea25f8a3b0c0092fd217a11905e558efd120b5b115c62','0fd2c7011dd20de0816990efd9cf1de67ec5fd116c6903cf827010ee904b7e08',5.54329999431502074003e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e1-l3-n4-s6',4,6,149,'943d0b1697a7d5ff32af9e4daa2197949c3826e551671c7955cac57ebee065ca','388a2c86da97c10344907323be57be5b491208f614d4bdfd4bbf443fb1806a31',2.15820000448729842901e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e1-l4-n3-s3',3,3,149,'22dd6ad774cedbf317fcca268e0591b0b1e34fbe575a009d43d38031239211b0','0fcb948aead3fda09fe443b148b569ae1ec390e158e87ccd5168e86b1f4015cb',5.96090012550121173262e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e1-l4-n4-s6',4,6,149,'373cd7fb374a043b8bf5f8b6a3901bedfaffa94ef84185f25951adca92aad1e8','d7bd2605606570415dd8629f1c080da1643e5fa9086e7ff71c446a4e2461cca8',1.26790000649634748697e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e1-l5-n5-s4',5,4,149,'f6a33daed63637e582ab95f722589c1f0823c5296a2a00fc886ed7bc25c25aac','0d8fb9a8e721ceff92d8d70dfff789f30310b29f9cd6173ba34cf1f7adedf8a8',5.46519986528437584638e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e1-l5-n6-s6',6,6,149,'86c72b6a9646e279532bf8ce134305e85f52d13134e89fa358dd54c776a34c1a','42beacd6bbc9a7b03bab4e513a7f895cd82902e32b4499079782cfaa430f2722',1.31689994304906576871e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e1-l6-n5-s4',5,4,149,'13289fea411b673d42be36708db990441968ca788028e4ad94bb5b22e265e64d','a7db5c1729f4260b4c35968eb98e004c28281c79d4834942e92f50af1e9badfd',5.50420008949004113674e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e1-l6-n6-s6',6,6,149,'4ab79339845470baa83775547d11500f97fc55983c1742483ec076c7f0f307cd','c075d5dd50caba1ef5d6786cc6f0394f1b822a87110a5dd8397191b91290550c',1.39509993459796532988e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e1-l7-n7-s5',7,5,149,'a53b59f256258535de28a511306597d69e34623a0b5c59bac6ec41c3b1830859','f822aafecd7ad221a5060c2f1a15f4d4eefd514591ffb070c685bafd8656d57d',5.82070006203139200806e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e1-l7-n8-s6',8,6,149,'0b8fff1c83f51a9baead38da4ac6e381ef16112ae2adf8576797af7a32dfa483','183c3ef6e4615b644a7a2f0f588fbe0758900341be72435f1c898583e975a853',1.26390004879795014858e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e1-l8-n7-s5',7,5,149,'bdcba31ef712033c0c67d464c53a617eddf456eaf5dff91f6c0650073ba0edf6','0680ec494bd71511e37dacf4b06249796c01c5589c76d051eacb524f0ad309a7',5.90780000493396073579e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e1-l8-n8-s6',8,6,149,'f395b3ef12f00ee877b9054eba18520af91c9c1419abc6597c90585defdea3c5','75e2559ebb8db4b0d3625153b373727731938ea5f49e247bdcce22fee9f244bf',1.33500016090692952275e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'65062c043ddf46feab044543b73de914/p7/e2-l11-n13-s6',13,6,149,'4356688607b98e1e18bbf2c4b411b5a5acf3c5fd38e7e803d35c74e1fee45be7','746d4acf4ece4bf504504100b69802f82b04bf9abc8638107cccf0c5d46ad3d8',7.52619998820591717958e-05,13,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'65062c043ddf46feab044543b73de914/p6/e2-l14-n13-s6',13,6,149,'42f2244fb586dbbaebc4f9d0c6a06861cfe40384cb7a8ded43b277ef05626771','b16b8bdf9fa5b2066862ce627f84cbd910d2eeb67d1764ab276bdd5a408624dc',5.90180006838636472821e-05,12,'');
INSERT INTO "hippo_checkpoint" VALUES(8,'65062c043ddf46feab044543b73de914/p8/e1-l1-n1-s3',1,3,149,'8144b5b32f65bc9b0ec79d6bad4fe86949f5fbc78f69ef926f3746e3eba67c26','148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73',7.43810014682821929454e-05,14,'');
INSERT INTO "hippo_checkpoint" VALUES(9,'65062c043ddf46feab044543b73de914/p9/e1-l2-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',5.78159997530747205018e-05,15,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'65062c043ddf46feab044543b73de914/p2/e6-l33-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',5.20169996889308094978e-05,19,'');
INSERT INTO "hippo_checkpoint" VALUES(10,'65062c043ddf46feab044543b73de914/p10/e1-l1-n1-s3',1,3,149,'9b132eac82b0db8a9595128857f10e2356b9558523a4b537d163ce030803c1b8','2c89878e8b04ab0e5bc0e673e20cd8f5f44ef39bda139514feb6d56a1575121b',5.92979995417408645153e-05,20,'');
INSERT INTO "hippo_checkpoint" VALUES(11,'65062c043ddf46feab044543b73de914/p11/e1-l1-n1-s3',1,3,149,'8144b5b32f65bc9b0ec79d6bad4fe86949f5fbc78f69ef926f3746e3eba67c26','148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73',5.48619991604937240481e-05,21,'');
INSERT INTO "hippo_checkpoint" VALUES(12,'65062c043ddf46feab044543b73de914/p12/e1-l4-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',5.24880015291273593902e-05,23,'');
CREATE TABLE hippo_database (
	uuid VARCHAR(32) NOT NULL, 
	schema_version BIGINT NOT NULL, 
	PRIMARY KEY (uuid)
);
INSERT INTO "hippo_database" VALUES('65062c043ddf46feab044543b73de914',2);
CREATE TABLE hippo_failure (
	"plan" BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	method TEXT NOT NULL, 
	error TEXT NOT NULL, 
	traceback TEXT NOT NULL, 
	voided BOOLEAN NOT NULL, 
	PRIMARY KEY ("plan", number)
);
INSERT INTO "hippo_failure" VALUES(8,1,3,2,'train','ValueError: told to raise in train after 1 steps','Traceback (most recent call last):
  File "/tmp/members_base/src/hippo/training/walker.py", line 39, in user_code
    yield
  File "/tmp/members_base/src/hippo/training/walker.py", line 95, in train
    returned = self._trainer.train()
               ^^^^^^^^^^^^^^^^^^^^^
  File "/tmp/members_base/src/hippo/testing/trainers.py", line 75, in train
    self._maybe_raise("train")
  File "/tmp/members_base/src/hippo/testing/trainers.py", line 113, in _maybe_raise
    raise ValueError(f"told to raise in {method} after {self.steps} steps")
ValueError: told to raise in train after 1 steps
',0);
INSERT INTO "hippo_failure" VALUES(9,1,3,2,'train','ValueError: told to raise in train after 1 steps','Traceback (most recent call last):
  File "/tmp/members_base/src/hippo/training/walker.py", line 39, in user_code
    yield
  File "/tmp/members_base/src/hippo/training/walker.py", line 95, in train
    returned = self._trainer.train()
               ^^^^^^^^^^^^^^^^^^^^^
  File "/tmp/members_base/src/hippo/testing/trainers.py", line 75, in train
    self._maybe_raise("train")
  File "/tmp/members_base/src/hippo/testing/trainers.py", line 113, in _maybe_raise
    raise ValueError(f"told to raise in {method} after {self.steps} steps")
ValueError: told to raise in train after 1 steps
',0);
CREATE TABLE hippo_lease (
	"plan" BIGINT NOT NULL, 
	lease BIGINT NOT NULL, 
	epoch BIGINT NOT NULL, 
	slot TEXT NOT NULL, 
	spans TEXT NOT NULL, 
	started_at FLOAT NOT NULL, 
	ended TEXT NOT NULL, 
	PRIMARY KEY ("plan", lease)
);
INSERT INTO "hippo_lease" VALUES(1,1,1,'inline-1','[[1, 0, 2]]',1.79530614723801469805e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,2,1,'inline-1','[[2, 0, 2]]',1.79530614744229769712e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,3,1,'inline-1','[[3, 0, 2]]',1.79530614748149251942e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,4,1,'inline-1','[[1, 0, 2]]',1.79530614812524032591e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,5,1,'inline-1','[[2, 0, 2]]',1.79530614832058453556e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,6,1,'inline-1','[[3, 0, 2]]',1.79530614834587550158e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,4,5,'inline-1','[[4, 0, 2]]',1.79530615027571129795e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,5,5,'inline-1','[[5, 2, 4]]',1.7953061505432925224e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,6,5,'inline-1','[[5, 4, 8]]',1.79530615059210014346e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,7,6,'inline-1','[[6, 0, 3]]',1.79530615070616149904e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,8,7,'inline-1','[[2, 0, 4]]',1.7953061508362867832e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,9,7,'inline-1','[[3, 0, 4]]',1.79530615091923522949e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,10,7,'inline-1','[[1, 2, 4]]',1.79530615095793294909e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,11,7,'inline-1','[[1, 0, 4]]',1795306151.00846,'done');
INSERT INTO "hippo_lease" VALUES(2,12,2,'inline-1','[[4, 0, 2]]',1.7953061519365911484e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,13,8,'inline-1','[[7, 0, 2]]',1.79530615208144927021e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,14,2,'inline-1','[[4, 2, 4]]',1795306152.21874,'done');
INSERT INTO "hippo_lease" VALUES(1,15,8,'inline-1','[[7, 2, 4]]',1.79530615225865030292e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,16,2,'inline-1','[[5, 0, 2]]',1.79530615229783272746e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,17,8,'inline-1','[[8, 0, 2]]',1.79530615232654333114e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,18,2,'inline-1','[[6, 0, 2]]',1.79530615235798454284e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,19,8,'inline-1','[[9, 0, 2]]',1.79530615239033079148e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,20,8,'inline-1','[[10, 0, 2]]',1.79530615243970012662e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,21,2,'inline-1','[[7, 0, 2]]',1.79530615244953656198e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,22,8,'inline-1','[[10, 2, 4]]',1.79530615248102402682e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,23,2,'inline-1','[[7, 2, 4]]',1.79530615251089167589e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,24,8,'inline-1','[[11, 0, 2]]',1.79530615256654548644e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,25,2,'inline-1','[[8, 0, 2]]',1.79530615262942147255e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,26,2,'inline-1','[[3, 0, 4]]',1.79530615267815065383e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,27,3,'inline-1','[[9, 0, 2]]',1.7953061528231830597e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,28,3,'inline-1','[[10, 2, 4]]',1.79530615285056519515e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,29,3,'inline-1','[[10, 4, 8]]',1.79530615291314339632e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,30,4,'inline-1','[[11, 0, 3]]',1.79530615300865244868e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,1,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79530615405551075935e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,2,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79530615419228219988e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,3,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79530615431731820109e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,4,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79530615447214484219e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,5,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79530615451328206056e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,6,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79530615454606723782e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,7,1,'inline-1','[[1, 3, 4], [4, 4, 6]]',1.79530615459588861466e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,8,1,'inline-1','[[1, 3, 4], [4, 4, 6]]',1.79530615463257241246e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,9,1,'inline-1','[[1, 3, 4], [4, 4, 6]]',1.79530615466532063482e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,10,1,'inline-1','[[1, 4, 5], [5, 5, 6]]',1.79530615470740890506e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,11,1,'inline-1','[[1, 4, 5], [5, 5, 6]]',1.79530615475589489936e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,12,1,'inline-1','[[1, 4, 5], [5, 5, 6]]',1.79530615476535654068e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,13,2,'inline-1','[[6, 0, 4]]',1.79530615491547560695e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,14,2,'inline-1','[[7, 0, 4]]',1.79530615494930839539e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,15,2,'inline-1','[[8, 0, 4]]',1.79530615499140715598e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,16,2,'inline-1','[[6, 0, 4]]',1795306155.01728,'done');
INSERT INTO "hippo_lease" VALUES(4,17,2,'inline-1','[[7, 0, 4]]',1.79530615504516434673e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,18,2,'inline-1','[[8, 0, 4]]',1795306155.07723,'done');
INSERT INTO "hippo_lease" VALUES(5,19,2,'inline-1','[[6, 0, 4]]',1.79530615510207962985e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,20,2,'inline-1','[[7, 0, 4]]',1.7953061551719422341e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,21,2,'inline-1','[[8, 0, 4]]',1.79530615518640470499e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,1,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79530615628756475441e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,2,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79530615645078325272e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,3,1,'inline-1','[[3, 0, 3], [4, 3, 6]]',1.79530615663488221167e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,4,1,'inline-1','[[3, 0, 3], [4, 3, 6]]',1795306156.70045,'done');
INSERT INTO "hippo_lease" VALUES(7,5,1,'inline-1','[[5, 0, 4], [6, 4, 6]]',1.79530615674651575089e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,6,1,'inline-1','[[5, 0, 4], [6, 4, 6]]',1.79530615678112530709e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,7,1,'inline-1','[[7, 0, 5], [8, 5, 6]]',1.79530615684532856941e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,8,1,'inline-1','[[7, 0, 5], [8, 5, 6]]',1.79530615687857723235e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,9,2,'inline-1','[[9, 0, 2], [10, 2, 6]]',1.79530615699469637876e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,10,2,'inline-1','[[11, 0, 4], [12, 4, 6]]',1.79530615705832600594e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,11,2,'inline-1','[[13, 0, 6]]',1.79530615710554671288e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,12,2,'inline-1','[[9, 0, 2], [10, 2, 6]]',1.79530615716886377333e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,13,2,'inline-1','[[11, 0, 4], [12, 4, 6]]',1.7953061572123651504e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,14,2,'inline-1','[[13, 0, 6]]',1.79530615724551296241e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,1,1,'inline-1','[[1, 0, 3]]',1.79530615834024858475e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,2,1,'inline-1','[[1, 0, 3]]',1.79530615852175045015e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,3,1,'inline-1','[[2, 0, 3]]',1.79530615862999510766e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,4,1,'inline-1','[[2, 0, 3]]',1.79530615864918351174e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,5,1,'inline-1','[[3, 0, 3]]',1.79530615866911149028e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,6,1,'inline-1','[[3, 0, 3]]',1.7953061587007479667e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,31,6,'inline-1','[[2, 0, 3]]',1.79530616118861699103e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,32,6,'inline-1','[[1, 2, 3]]',1795306161.25615,'done');
INSERT INTO "hippo_lease" VALUES(2,33,6,'inline-1','[[1, 0, 3]]',1.7953061612689323425e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,1,1,'inline-1','[[1, 0, 3]]',1.79530616166828465457e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,2,1,'inline-1','[[2, 0, 3]]',1.79530616181904411317e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,3,1,'inline-1','[[3, 0, 3]]',1.79530616183080840107e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,1,1,'inline-1','[[1, 0, 3]]',1.7953061620994839668e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,2,1,'inline-1','[[2, 0, 3]]',1.79530616219884371761e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,3,1,'inline-1','[[3, 0, 3]]',1.79530616223333120348e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,4,1,'inline-1','[[1, 0, 3]]',1.79530616292473912238e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,5,1,'inline-1','[[2, 0, 3]]',1.79530616313716483113e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,6,1,'inline-1','[[3, 0, 3]]',1.79530616316895771022e+09,'done');
CREATE TABLE hippo_metrics (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	metrics TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	study BIGINT NOT NULL, 
	PRIMARY KEY ("plan", node, step)
);
INSERT INTO "hippo_metrics" VALUES(1,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.45259998337132856249e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',1.38999985210830345749e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',2.01799994101747870445e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',1.14680005935952067375e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',1.2538699957076460123e-04,1);
INSERT INTO "hippo_metrics" VALUES(1,3,2,'{"loss": 1.3059238627827707, "luck": 0.8990734568859705}',1.73660009750165045261e-05,1);
INSERT INTO "hippo_metrics" VALUES(2,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',3.9028000173857435584e-05,3);
INSERT INTO "hippo_metrics" VALUES(2,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',1.63339991559041664004e-05,3);
INSERT INTO "hippo_metrics" VALUES(2,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',2.26339998334879055619e-05,3);
INSERT INTO "hippo_metrics" VALUES(2,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',1.35099999170051887631e-05,3);
INSERT INTO "hippo_metrics" VALUES(2,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',2.37749991356395184993e-05,3);
INSERT INTO "hippo_metrics" VALUES(2,3,2,'{"loss": 0.5482365060163169, "luck": 0.39900061541324894}',1.34299989440478384494e-05,3);
INSERT INTO "hippo_metrics" VALUES(1,4,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.35752999995020218193e-04,6);
INSERT INTO "hippo_metrics" VALUES(1,4,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',2.15830004890449345111e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,5,3,'{"loss": 0.7181172581813783, "luck": 0.5606985584456248}',7.11070006218506e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,5,4,'{"loss": 0.6857764130519207, "luck": 0.7656478768603969}',1.3249999028630554676e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,5,5,'{"loss": 0.6409016285686151, "luck": 0.9862810444956115}',2.30240002565551549196e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,5,6,'{"loss": 0.6079893596789652, "luck": 0.4317209810926973}',1.46120000863447785377e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,5,7,'{"loss": 0.5730013892842124, "luck": 0.20418096828415755}',1.29489999380894e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,5,8,'{"loss": 0.5366799172116318, "luck": 0.9023155911110003}',1.20980002975557e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,6,1,'{"loss": 1.8609035862607755, "luck": 0.7351928141853318}',2.70410000666743144392e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,6,2,'{"loss": 1.0107668617036614, "luck": 0.8990734568859705}',1.63640015671262517571e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,6,3,'{"loss": 0.5366396691549596, "luck": 0.5606985584456248}',1.38109990075463429093e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',1.24779999168822541832e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,2,4,'{"loss": 1.3950226972208526, "luck": 0.7656478768603969}',1.94690001080743968486e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,3,3,'{"loss": 0.8045146250303803, "luck": 0.5606985584456248}',1.01750010799150913953e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,3,4,'{"loss": 0.5750387859247998, "luck": 0.7656478768603969}',9.92499917629174888134e-06,6);
INSERT INTO "hippo_metrics" VALUES(1,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',1.3240000043879263103e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,1,4,'{"loss": 0.2232132936782808, "luck": 0.7656478768603969}',1.0645999282132834196e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,1,'{"loss": 0.04801916044940552, "luck": 0.2919745267583853}',1.19497999548912048339e-04,8);
INSERT INTO "hippo_metrics" VALUES(2,4,2,'{"loss": 0.047361923738329564, "luck": 0.39900061541324894}',1.26989998534554615616e-05,8);
INSERT INTO "hippo_metrics" VALUES(1,7,1,'{"loss": 0.21340797938632122, "luck": 0.7351928141853318}',8.14310005807783454656e-05,7);
INSERT INTO "hippo_metrics" VALUES(1,7,2,'{"loss": 0.013573150172535815, "luck": 0.8990734568859705}',1.25990009109955281019e-05,7);
INSERT INTO "hippo_metrics" VALUES(2,4,3,'{"loss": 0.034040960109071594, "luck": 0.4167216444296241}',2.89429990516509860754e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,4,4,'{"loss": 0.014770962677400395, "luck": 0.09989884338800914}',1.10269993456313386559e-05,8);
INSERT INTO "hippo_metrics" VALUES(1,7,3,'{"loss": 0.012333469083678848, "luck": 0.5606985584456248}',1.2557999070850200951e-05,7);
INSERT INTO "hippo_metrics" VALUES(1,7,4,'{"loss": 0.029729467150952604, "luck": 0.7656478768603969}',1.02150006568990647792e-05,7);
INSERT INTO "hippo_metrics" VALUES(2,5,1,'{"loss": 0.09979296485940324, "luck": 0.2919745267583853}',1.64649991347687318921e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,5,2,'{"loss": 0.05847795416301017, "luck": 0.39900061541324894}',1.07760006358148530125e-05,8);
INSERT INTO "hippo_metrics" VALUES(1,8,1,'{"loss": 0.39078486906938203, "luck": 0.7351928141853318}',1.64640005095861852169e-05,7);
INSERT INTO "hippo_metrics" VALUES(1,8,2,'{"loss": 0.028373180053272055, "luck": 0.8990734568859705}',1.0565001502982340753e-05,7);
INSERT INTO "hippo_metrics" VALUES(2,6,1,'{"loss": 0.17969822691367301, "luck": 0.2919745267583853}',1.78369991772342473268e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,6,2,'{"loss": 0.08363833989449458, "luck": 0.39900061541324894}',1.10460005089407786726e-05,8);
INSERT INTO "hippo_metrics" VALUES(1,9,1,'{"loss": 0.6224585436912402, "luck": 0.7351928141853318}',1.72660002135671675205e-05,7);
INSERT INTO "hippo_metrics" VALUES(1,9,2,'{"loss": 0.08114599599028936, "luck": 0.8990734568859705}',1.06259994936408475041e-05,7);
INSERT INTO "hippo_metrics" VALUES(1,10,1,'{"loss": 0.9084290032518965, "luck": 0.7351928141853318}',1.66549998539267107844e-05,7);
INSERT INTO "hippo_metrics" VALUES(1,10,2,'{"loss": 0.19870282446317625, "luck": 0.8990734568859705}',1.04650007415330037474e-05,7);
INSERT INTO "hippo_metrics" VALUES(2,7,1,'{"loss": 0.28773494661221505, "luck": 0.2919745267583853}',1.78169993887422606348e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,7,2,'{"loss": 0.13148690325119072, "luck": 0.39900061541324894}',1.09460015664808452129e-05,8);
INSERT INTO "hippo_metrics" VALUES(1,10,3,'{"loss": 0.03486108159497854, "luck": 0.5606985584456248}',1.70060011441819369792e-05,7);
INSERT INTO "hippo_metrics" VALUES(1,10,4,'{"loss": 0.03758099366231165, "luck": 0.7656478768603969}',1.08360000012908130884e-05,7);
INSERT INTO "hippo_metrics" VALUES(2,7,3,'{"loss": 0.07132726937035358, "luck": 0.4167216444296241}',1.56829992192797362804e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,7,4,'{"loss": 0.025298053810090083, "luck": 0.09989884338800914}',1.09159991552587598562e-05,8);
INSERT INTO "hippo_metrics" VALUES(1,11,1,'{"loss": 1.24869624775135, "luck": 0.7351928141853318}',1.31336000777082517743e-04,7);
INSERT INTO "hippo_metrics" VALUES(1,11,2,'{"loss": 0.4143705061441762, "luck": 0.8990734568859705}',2.82330001937225461006e-05,7);
INSERT INTO "hippo_metrics" VALUES(2,8,1,'{"loss": 0.42390312395502894, "luck": 0.2919745267583853}',1.71850006154272705316e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,8,2,'{"loss": 0.21404324146881892, "luck": 0.39900061541324894}',1.08460008050315082073e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,3,3,'{"loss": 0.39096937177195373, "luck": 0.4167216444296241}',9.93499998003244400024e-06,8);
INSERT INTO "hippo_metrics" VALUES(2,3,4,'{"loss": 0.2576308188545118, "luck": 0.09989884338800914}',9.75399962044321e-06,8);
INSERT INTO "hippo_metrics" VALUES(2,9,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',1.66850004461593925952e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,9,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.07359992398414760828e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,10,3,'{"loss": 0.3318879784610863, "luck": 0.4167216444296241}',1.52530010382179170846e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,10,4,'{"loss": 0.3131866681610792, "luck": 0.09989884338800914}',1.00950001069577410817e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,10,5,'{"loss": 0.2881633520944912, "luck": 0.3176475465581071}',1.59529990924056619405e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,10,6,'{"loss": 0.273178385410801, "luck": 0.6622026177734481}',1.02049998531583696603e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,10,7,'{"loss": 0.2617358425805778, "luck": 0.8413715553295904}',9.97499955701641738414e-06,8);
INSERT INTO "hippo_metrics" VALUES(2,10,8,'{"loss": 0.2499827100106507, "luck": 0.9038439222916061}',9.13399890123400837182e-06,8);
INSERT INTO "hippo_metrics" VALUES(2,11,1,'{"loss": 0.6809018730522601, "luck": 0.2919745267583853}',1.72260006365831941366e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,11,2,'{"loss": 0.43755526669822176, "luck": 0.39900061541324894}',1.03950005723163485527e-05,8);
INSERT INTO "hippo_metrics" VALUES(2,11,3,'{"loss": 0.28893552122224675, "luck": 0.4167216444296241}',1.54629997268784791231e-05,8);
INSERT INTO "hippo_metrics" VALUES(3,1,1,'{"loss": 1.023281603178972, "luck": 0.9867643697774076}',2.98849990940652787685e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,1,2,'{"loss": 0.4602207998765308, "luck": 0.5376377842125818}',1.09770007838960736989e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,2,3,'{"loss": 0.33177223889750096, "luck": 0.7108321066755476}',1.05359995359322056174e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,2,4,'{"loss": 0.25460404885659077, "luck": 0.4787101630369117}',1.01649984571849927306e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,2,5,'{"loss": 0.18677338222932205, "luck": 0.9374898015314165}',9.46399995882529765367e-06,9);
INSERT INTO "hippo_metrics" VALUES(3,2,6,'{"loss": 0.1336900557880476, "luck": 0.6526788969390104}',9.23399966268334537744e-06,9);
INSERT INTO "hippo_metrics" VALUES(4,1,1,'{"loss": 1.970967072357297, "luck": 0.3724018416480026}',1.43110009958036243915e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,1,2,'{"loss": 0.9534386778039253, "luck": 0.663277436170201}',9.55399991653394e-06,10);
INSERT INTO "hippo_metrics" VALUES(4,2,3,'{"loss": 0.6964286091016071, "luck": 0.0460468867524525}',1.07860014395555481314e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,2,4,'{"loss": 0.5001916637489414, "luck": 0.7934255168815922}',9.90500120678916573524e-06,10);
INSERT INTO "hippo_metrics" VALUES(4,2,5,'{"loss": 0.37371300278589503, "luck": 0.699707046997647}',9.35400021262466907501e-06,10);
INSERT INTO "hippo_metrics" VALUES(4,2,6,'{"loss": 0.2661893595714792, "luck": 0.9751249376099272}',9.60499892244115471839e-06,10);
INSERT INTO "hippo_metrics" VALUES(5,1,1,'{"loss": 0.9240582253964627, "luck": 0.04126642983852735}',1.48019989865133538842e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,1,2,'{"loss": 0.4523393602113332, "luck": 0.27567533336338146}',1.01649984571849927306e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,2,3,'{"loss": 0.33625159218410816, "luck": 0.9730137035323765}',1.08559997897828e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,2,4,'{"loss": 0.25798940470739584, "luck": 0.4796653075815468}',9.86400118563324213027e-06,11);
INSERT INTO "hippo_metrics" VALUES(5,2,5,'{"loss": 0.2039368760905871, "luck": 0.7275552730002094}',9.63400088949129e-06,11);
INSERT INTO "hippo_metrics" VALUES(5,2,6,'{"loss": 0.1638119756654711, "luck": 0.07836672761871077}',9.56400072027463465929e-06,11);
INSERT INTO "hippo_metrics" VALUES(3,1,3,'{"loss": 0.22549578895205535, "luck": 0.7108321066755476}',1.20580007205717265605e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,3,4,'{"loss": 0.17451814684159075, "luck": 0.4787101630369117}',1.04760001704562455415e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,3,5,'{"loss": 0.12886224980897057, "luck": 0.9374898015314165}',1.0314999599358998239e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,3,6,'{"loss": 0.0938679365487936, "luck": 0.6526788969390104}',9.87499879556708e-06,9);
INSERT INTO "hippo_metrics" VALUES(4,1,3,'{"loss": 0.481072495635177, "luck": 0.0460468867524525}',1.11004999780561774969e-04,10);
INSERT INTO "hippo_metrics" VALUES(4,3,4,'{"loss": 0.34575426828276773, "luck": 0.7934255168815922}',1.2939999578520655632e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,3,5,'{"loss": 0.2599915364889922, "luck": 0.699707046997647}',1.16770006570732221007e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,3,6,'{"loss": 0.18429860717850993, "luck": 0.9751249376099272}',1.02760004665469750761e-05,10);
INSERT INTO "hippo_metrics" VALUES(5,1,3,'{"loss": 0.2373882363174858, "luck": 0.9730137035323765}',1.24980015243636444211e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,3,4,'{"loss": 0.18417803445836445, "luck": 0.4796653075815468}',1.09770007838960736989e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,3,5,'{"loss": 0.14815408764376153, "luck": 0.7275552730002094}',1.04259997897315770387e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,3,6,'{"loss": 0.12109411842729488, "luck": 0.07836672761871077}',9.81399898591917e-06,11);
INSERT INTO "hippo_metrics" VALUES(3,1,4,'{"loss": 0.13075750219245938, "luck": 0.4787101630369117}',1.6745001630624756217e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,4,5,'{"loss": 0.0964833399317409, "luck": 0.9374898015314165}',1.1296999218757264316e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,4,6,'{"loss": 0.0700027185796051, "luck": 0.6526788969390104}',9.79499964159913361072e-06,9);
INSERT INTO "hippo_metrics" VALUES(4,1,4,'{"loss": 0.2335847524896895, "luck": 0.7934255168815922}',1.64739994943374767899e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,4,5,'{"loss": 0.1765815256475426, "luck": 0.699707046997647}',1.19280011858791112899e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,4,6,'{"loss": 0.1249710608512457, "luck": 0.9751249376099272}',1.10559994936920702457e-05,10);
INSERT INTO "hippo_metrics" VALUES(5,1,4,'{"loss": 0.13876419064237355, "luck": 0.4796653075815468}',1.60839990712702274322e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,4,5,'{"loss": 0.11385252840454314, "luck": 0.7275552730002094}',1.20080003398470580577e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,4,6,'{"loss": 0.09458269422305716, "luck": 0.07836672761871077}',1.04149985418189316987e-05,11);
INSERT INTO "hippo_metrics" VALUES(3,1,5,'{"loss": 0.06776995002509556, "luck": 0.9374898015314165}',1.64640005095861852169e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,5,6,'{"loss": 0.05089881767741228, "luck": 0.6526788969390104}',1.17479994514724239706e-05,9);
INSERT INTO "hippo_metrics" VALUES(4,1,5,'{"loss": 0.12855514028458553, "luck": 0.699707046997647}',1.61440002557355910539e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,5,6,'{"loss": 0.08986434983354824, "luck": 0.9751249376099272}',1.13770001917146146297e-05,10);
INSERT INTO "hippo_metrics" VALUES(5,1,5,'{"loss": 0.0923220865508822, "luck": 0.7275552730002094}',1.6775000403868034482e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,5,6,'{"loss": 0.07760726211376752, "luck": 0.07836672761871077}',1.14569993456825613975e-05,11);
INSERT INTO "hippo_metrics" VALUES(3,6,1,'{"loss": 1.023281603178972, "luck": 0.9867643697774076}',1.66050012921914458274e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,6,2,'{"loss": 0.4602207998765306, "luck": 0.5376377842125818}',1.08960011857561767101e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,6,3,'{"loss": 0.22549578895205522, "luck": 0.7108321066755476}',1.03550009953323751688e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,6,4,'{"loss": 0.1307575021924593, "luck": 0.4787101630369117}',2.0039999071741476655e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,7,1,'{"loss": 1.7747010785817487, "luck": 0.9867643697774076}',1.95089996850583702325e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,7,2,'{"loss": 1.412044654388934, "luck": 0.5376377842125818}',1.04459995782235637307e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,7,3,'{"loss": 1.1398894539766977, "luck": 0.7108321066755476}',9.45400097407400608062e-06,9);
INSERT INTO "hippo_metrics" VALUES(3,7,4,'{"loss": 0.9445047981903137, "luck": 0.4787101630369117}',9.10400012799073e-06,9);
INSERT INTO "hippo_metrics" VALUES(3,8,1,'{"loss": 1.3730141019042925, "luck": 0.9867643697774076}',1.65250003192340955138e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,8,2,'{"loss": 0.8402962959741641, "luck": 0.5376377842125818}',1.02550002338830381631e-05,9);
INSERT INTO "hippo_metrics" VALUES(3,8,3,'{"loss": 0.5344486289687017, "luck": 0.7108321066755476}',9.88499959930777549743e-06,9);
INSERT INTO "hippo_metrics" VALUES(3,8,4,'{"loss": 0.36705273833910573, "luck": 0.4787101630369117}',1.05149993032682687044e-05,9);
INSERT INTO "hippo_metrics" VALUES(4,6,1,'{"loss": 1.970967072357297, "luck": 0.3724018416480026}',7.03750010870862752199e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,6,2,'{"loss": 0.9534386778039252, "luck": 0.663277436170201}',1.13570004032226279377e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,6,3,'{"loss": 0.48107249563517696, "luck": 0.0460468867524525}',9.53400012804195284843e-06,10);
INSERT INTO "hippo_metrics" VALUES(4,6,4,'{"loss": 0.2335847524896894, "luck": 0.7934255168815922}',9.47400076256599277257e-06,10);
INSERT INTO "hippo_metrics" VALUES(4,7,1,'{"loss": 3.2544760285498917, "luck": 0.3724018416480026}',1.60239997057942673563e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,7,2,'{"loss": 2.6287578931759326, "luck": 0.663277436170201}',1.14070007839472964406e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,7,3,'{"loss": 2.1391921291570637, "luck": 0.0460468867524525}',1.01850000646663829684e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,7,4,'{"loss": 1.7288641460709981, "luck": 0.7934255168815922}',9.93499998003244400024e-06,10);
INSERT INTO "hippo_metrics" VALUES(4,8,1,'{"loss": 2.572582343877809, "luck": 0.3724018416480026}',1.70460007211659103631e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,8,2,'{"loss": 1.6351811603813753, "luck": 0.663277436170201}',1.06960014818469062447e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,8,3,'{"loss": 1.0602553693461516, "luck": 0.0460468867524525}',1.02659996628062799572e-05,10);
INSERT INTO "hippo_metrics" VALUES(4,8,4,'{"loss": 0.674444448271187, "luck": 0.7934255168815922}',9.84399957815185189247e-06,10);
INSERT INTO "hippo_metrics" VALUES(5,6,1,'{"loss": 0.9240582253964627, "luck": 0.04126642983852735}',1.63039985636714845895e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,6,2,'{"loss": 0.4523393602113331, "luck": 0.27567533336338146}',9.94500078377313911914e-06,11);
INSERT INTO "hippo_metrics" VALUES(5,6,3,'{"loss": 0.23738823631748568, "luck": 0.9730137035323765}',9.91500019154045730829e-06,11);
INSERT INTO "hippo_metrics" VALUES(5,6,4,'{"loss": 0.13876419064237347, "luck": 0.4796653075815468}',9.74499926087446510791e-06,11);
INSERT INTO "hippo_metrics" VALUES(5,7,1,'{"loss": 1.4351092912102374, "luck": 0.04126642983852735}',1.61139996635029092431e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,7,2,'{"loss": 1.1624924511065793, "luck": 0.27567533336338146}',1.04650007415330037474e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,7,3,'{"loss": 0.952202448537066, "luck": 0.9730137035323765}',1.01050009106984362006e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,7,4,'{"loss": 0.7883275483467338, "luck": 0.4796653075815468}',9.74399881670251488685e-06,11);
INSERT INTO "hippo_metrics" VALUES(5,8,1,'{"loss": 1.165169131106709, "luck": 0.04126642983852735}',1.50029991345945745706e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,8,2,'{"loss": 0.7455123476213816, "luck": 0.27567533336338146}',1.0294999810867011547e-05,11);
INSERT INTO "hippo_metrics" VALUES(5,8,3,'{"loss": 0.4923226384257423, "luck": 0.9730137035323765}',9.76499904936645179986e-06,11);
INSERT INTO "hippo_metrics" VALUES(5,8,4,'{"loss": 0.33774432189800113, "luck": 0.4796653075815468}',9.59400131250731647014e-06,11);
INSERT INTO "hippo_metrics" VALUES(6,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.94189997273497283458e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,1,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.63340009748935699462e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,2,3,'{"loss": 0.535595674314262, "luck": 0.5606985584456248}',1.1275998986093327403e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,2,4,'{"loss": 0.4258531585217873, "luck": 0.7656478768603969}',9.77499985310714691877e-06,12);
INSERT INTO "hippo_metrics" VALUES(6,2,5,'{"loss": 0.2928514680411841, "luck": 0.9862810444956115}',9.46500040299724787473e-06,12);
INSERT INTO "hippo_metrics" VALUES(6,2,6,'{"loss": 0.22666719927778464, "luck": 0.4317209810926973}',9.05399974726606160402e-06,12);
INSERT INTO "hippo_metrics" VALUES(7,1,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.04400002985494211316e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,1,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.06059997051488608121e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,2,3,'{"loss": 0.27598012407333633, "luck": 0.4167216444296241}',1.08360000012908130884e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,2,4,'{"loss": 0.20352388412440353, "luck": 0.09989884338800914}',9.51399852056056261062e-06,13);
INSERT INTO "hippo_metrics" VALUES(7,2,5,'{"loss": 0.12565753468482305, "luck": 0.3176475465581071}',1.66540012287441641092e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,2,6,'{"loss": 0.09649009456726415, "luck": 0.6622026177734481}',1.0595000276225619018e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,3,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',3.95999995816964656114e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,3,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.17370000225491821765e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,3,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.09470001916633918881e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,4,4,'{"loss": 0.1582208837218928, "luck": 0.09989884338800914}',1.07159994513494893908e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,4,5,'{"loss": 0.09608929028021532, "luck": 0.3176475465581071}',1.06959996628575026988e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,4,6,'{"loss": 0.07425652405159612, "luck": 0.6622026177734481}',1.13969999802066013216e-05,13);
INSERT INTO "hippo_metrics" VALUES(6,3,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.66749996424186974763e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,3,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.0665999070624820888e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,3,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',9.99499934550840407609e-06,12);
INSERT INTO "hippo_metrics" VALUES(6,4,4,'{"loss": 0.2805570345611536, "luck": 0.7656478768603969}',1.05359995359322056174e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,4,5,'{"loss": 0.19072433249165222, "luck": 0.9862810444956115}',1.01650002761743962764e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,4,6,'{"loss": 0.14994423105194774, "luck": 0.4317209810926973}',9.6549993031658232212e-06,12);
INSERT INTO "hippo_metrics" VALUES(7,5,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',1.66950012499000877141e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,5,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.07859996205661445856e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,5,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',9.98500036075711250305e-06,13);
INSERT INTO "hippo_metrics" VALUES(7,5,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',9.95500158751383423805e-06,13);
INSERT INTO "hippo_metrics" VALUES(7,6,5,'{"loss": 0.06592576920431341, "luck": 0.3176475465581071}',1.03749989648349583148e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,6,6,'{"loss": 0.05161889400892079, "luck": 0.6622026177734481}',9.61400110099930316209e-06,13);
INSERT INTO "hippo_metrics" VALUES(6,5,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.2903999706613831222e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,5,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.740600055200047791e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,5,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',3.0634999347967095673e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,5,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.10469991341233253479e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,6,5,'{"loss": 0.15046631379886832, "luck": 0.9862810444956115}',1.09060001705074682831e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,6,6,'{"loss": 0.11964755655114248, "luck": 0.4317209810926973}',1.01650002761743962764e-05,12);
INSERT INTO "hippo_metrics" VALUES(7,7,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',1.79769995156675577163e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,7,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.061500006471760571e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,7,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',9.98500036075711250305e-06,13);
INSERT INTO "hippo_metrics" VALUES(7,7,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',9.96400012809317559003e-06,13);
INSERT INTO "hippo_metrics" VALUES(7,7,5,'{"loss": 0.03370790002564021, "luck": 0.3176475465581071}',1.01149998954497277736e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,8,6,'{"loss": 0.026666844902599608, "luck": 0.6622026177734481}',1.04350001493003219366e-05,13);
INSERT INTO "hippo_metrics" VALUES(6,7,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.74959986907197162508e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,7,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.13070000224979594349e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,7,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.02750000223750248551e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,7,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',9.74400063569191843271e-06,12);
INSERT INTO "hippo_metrics" VALUES(6,7,5,'{"loss": 0.09234756894755321, "luck": 0.9862810444956115}',1.08660005935234948992e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,8,6,'{"loss": 0.07550860568715494, "luck": 0.4317209810926973}',1.06959996628575026988e-05,12);
INSERT INTO "hippo_metrics" VALUES(7,9,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.32639995374484e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,9,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.55429988808464258909e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,10,3,'{"loss": 0.3318879784610863, "luck": 0.4167216444296241}',1.47020000440534204244e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,10,4,'{"loss": 0.3131866681610792, "luck": 0.09989884338800914}',1.27189996419474482536e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,10,5,'{"loss": 0.2881633520944912, "luck": 0.3176475465581071}',1.21379998745396733283e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,10,6,'{"loss": 0.273178385410801, "luck": 0.6622026177734481}',1.31500000861706212162e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,11,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.05500000447500497102e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,11,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.28190004033967852592e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,11,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.21779994515236467123e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,11,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.2569000318762846291e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,12,5,'{"loss": 0.10168172210304977, "luck": 0.3176475465581071}',1.4200999430613592267e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,12,6,'{"loss": 0.09685617336715144, "luck": 0.6622026177734481}',1.20580007205717265605e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,13,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.27639993681805208325e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,13,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.3830000170855782926e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,13,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.24390007840702310204e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,13,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.34599995362805202603e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,13,5,'{"loss": 0.03370790002564021, "luck": 0.3176475465581071}',1.19880005513550713658e-05,13);
INSERT INTO "hippo_metrics" VALUES(7,13,6,'{"loss": 0.020726611989759634, "luck": 0.6622026177734481}',1.20579989015823230147e-05,13);
INSERT INTO "hippo_metrics" VALUES(6,9,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',3.40410006174352e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,9,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.43620000017108395695e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,10,3,'{"loss": 0.7181172581813783, "luck": 0.5606985584456248}',1.37700008053798228502e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,10,4,'{"loss": 0.6857764130519207, "luck": 0.7656478768603969}',1.31599990709219127893e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,10,5,'{"loss": 0.6409016285686151, "luck": 0.9862810444956115}',1.35400005092378705739e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,10,6,'{"loss": 0.6079893596789652, "luck": 0.4317209810926973}',1.28489991766400635242e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,11,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.20330002775881439447e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,11,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.45620015246095135807e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,11,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.25789993035141378641e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,11,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.29099989862879738211e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,12,5,'{"loss": 0.20749363890015063, "luck": 0.9862810444956115}',1.24289999803295359015e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,12,6,'{"loss": 0.19805754120332325, "luck": 0.4317209810926973}',1.3529999705497175455e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,13,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',1.69159993674838915467e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,13,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.09469983726739883422e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,13,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.02849990071263164281e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,13,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',9.94399852061178535223e-06,12);
INSERT INTO "hippo_metrics" VALUES(6,13,5,'{"loss": 0.09234756894755321, "luck": 0.9862810444956115}',1.04549999377923086285e-05,12);
INSERT INTO "hippo_metrics" VALUES(6,13,6,'{"loss": 0.06049071795497772, "luck": 0.4317209810926973}',9.64399987424258142709e-06,12);
INSERT INTO "hippo_metrics" VALUES(8,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',3.85969997296342626214e-05,14);
INSERT INTO "hippo_metrics" VALUES(8,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',2.21030004468048e-05,14);
INSERT INTO "hippo_metrics" VALUES(8,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',1.55530015035765245556e-05,14);
INSERT INTO "hippo_metrics" VALUES(9,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',2.39750006585381925106e-05,15);
INSERT INTO "hippo_metrics" VALUES(9,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',1.66350000654347240924e-05,15);
INSERT INTO "hippo_metrics" VALUES(9,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',1.02560006780549883842e-05,15);
INSERT INTO "hippo_metrics" VALUES(8,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',1.71049996424699202179e-05,14);
INSERT INTO "hippo_metrics" VALUES(8,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',1.07159994513494893908e-05,14);
INSERT INTO "hippo_metrics" VALUES(8,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',1.0306001058779656887e-05,14);
INSERT INTO "hippo_metrics" VALUES(9,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',1.70349994732532650232e-05,15);
INSERT INTO "hippo_metrics" VALUES(9,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',1.04959999589482322335e-05,15);
INSERT INTO "hippo_metrics" VALUES(9,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.06759998743655160069e-05,15);
INSERT INTO "hippo_metrics" VALUES(8,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',1.70160001289332285523e-05,14);
INSERT INTO "hippo_metrics" VALUES(9,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',1.79070011654403060674e-05,15);
INSERT INTO "hippo_metrics" VALUES(2,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.67950001923600211739e-05,19);
INSERT INTO "hippo_metrics" VALUES(2,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',9.654000677983276546e-06,19);
INSERT INTO "hippo_metrics" VALUES(10,1,1,'{"loss": 1.4120057871362517, "luck": 0.25399716101146985}',2.49669992626877501606e-05,20);
INSERT INTO "hippo_metrics" VALUES(10,1,2,'{"loss": 0.6983429730211995, "luck": 0.7555491510543797}',1.81469986273441463708e-05,20);
INSERT INTO "hippo_metrics" VALUES(10,1,3,'{"loss": 0.35382737131322267, "luck": 0.9581091069570088}',1.67650014191167429089e-05,20);
INSERT INTO "hippo_metrics" VALUES(10,2,1,'{"loss": 2.291546304697009, "luck": 0.25399716101146985}',1.7716000002110376954e-05,20);
INSERT INTO "hippo_metrics" VALUES(10,2,2,'{"loss": 1.8572751132834882, "luck": 0.7555491510543797}',1.08360000012908130884e-05,20);
INSERT INTO "hippo_metrics" VALUES(10,2,3,'{"loss": 1.5143039172892543, "luck": 0.9581091069570088}',1.0014999134000390768e-05,20);
INSERT INTO "hippo_metrics" VALUES(10,3,1,'{"loss": 1.8245728224913753, "luck": 0.25399716101146985}',7.24580004316521808505e-05,20);
INSERT INTO "hippo_metrics" VALUES(10,3,2,'{"loss": 1.1710342522501354, "luck": 0.7555491510543797}',1.10159999167080968618e-05,20);
INSERT INTO "hippo_metrics" VALUES(10,3,3,'{"loss": 0.7622305003625882, "luck": 0.9581091069570088}',9.98499854176770895719e-06,20);
INSERT INTO "hippo_metrics" VALUES(11,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.37049989664228633046e-05,21);
INSERT INTO "hippo_metrics" VALUES(11,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',9.69400025496725e-06,21);
INSERT INTO "hippo_metrics" VALUES(11,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',9.5850009529385715723e-06,21);
INSERT INTO "hippo_metrics" VALUES(11,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',8.00400011939928e-05,21);
INSERT INTO "hippo_metrics" VALUES(11,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',1.12469988380325958132e-05,21);
INSERT INTO "hippo_metrics" VALUES(11,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',9.75500006461516e-06,21);
INSERT INTO "hippo_metrics" VALUES(11,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',1.71960000443505123257e-05,21);
INSERT INTO "hippo_metrics" VALUES(11,3,2,'{"loss": 1.3059238627827707, "luck": 0.8990734568859705}',1.06959996628575026988e-05,21);
INSERT INTO "hippo_metrics" VALUES(11,3,3,'{"loss": 0.8045146250303803, "luck": 0.5606985584456248}',9.9650005722651258111e-06,21);
INSERT INTO "hippo_metrics" VALUES(12,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',1.43609995575388893485e-05,23);
INSERT INTO "hippo_metrics" VALUES(12,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',9.7239990282105281949e-06,23);
INSERT INTO "hippo_metrics" VALUES(12,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',9.92400055110920220613e-06,23);
INSERT INTO "hippo_metrics" VALUES(12,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',1.10013999801594763994e-04,23);
INSERT INTO "hippo_metrics" VALUES(12,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',1.26889990497147664427e-05,23);
INSERT INTO "hippo_metrics" VALUES(12,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.02860012702876701951e-05,23);
INSERT INTO "hippo_metrics" VALUES(12,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',1.50820014823693782091e-05,23);
INSERT INTO "hippo_metrics" VALUES(12,3,2,'{"loss": 0.5482365060163169, "luck": 0.39900061541324894}',3.53619998350041e-05,23);
INSERT INTO "hippo_metrics" VALUES(12,3,3,'{"loss": 0.39096937177195373, "luck": 0.4167216444296241}',9.85399856290314346551e-06,23);
CREATE TABLE hippo_node (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	parent BIGINT, 
	start BIGINT NOT NULL, 
	pieces TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	inexact BOOLEAN NOT NULL, 
	PRIMARY KEY ("plan", node)
);
INSERT INTO "hippo_node" VALUES(1,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,4,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,5,4,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.25], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.8], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,4,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.8], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.7000000000000001], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.7000000000000001], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.6000000000000001], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.6000000000000001], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,10,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.5], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.5], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(1,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.4], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.4], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(2,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.25], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(3,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(4,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(5,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','12/0',0);
INSERT INTO "hippo_node" VALUES(6,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','13/0',0);
INSERT INTO "hippo_node" VALUES(7,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','12/1',0);
INSERT INTO "hippo_node" VALUES(6,4,3,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','13/1',0);
INSERT INTO "hippo_node" VALUES(7,4,3,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','12/2',0);
INSERT INTO "hippo_node" VALUES(6,6,5,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','13/2',0);
INSERT INTO "hippo_node" VALUES(7,6,5,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','12/3',0);
INSERT INTO "hippo_node" VALUES(6,8,7,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','13/3',0);
INSERT INTO "hippo_node" VALUES(7,8,7,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','12/4',0);
INSERT INTO "hippo_node" VALUES(6,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','12/5',0);
INSERT INTO "hippo_node" VALUES(6,12,11,4,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(6,13,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','12/6',0);
INSERT INTO "hippo_node" VALUES(7,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','13/4',0);
INSERT INTO "hippo_node" VALUES(7,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','13/5',0);
INSERT INTO "hippo_node" VALUES(7,12,11,4,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(7,13,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','13/6',0);
INSERT INTO "hippo_node" VALUES(8,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(8,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(8,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(9,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(9,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(9,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(10,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(10,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(10,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(11,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(11,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(11,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(12,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(12,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0);
INSERT INTO "hippo_node" VALUES(12,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0);
CREATE TABLE hippo_plan (
	"plan" BIGINT NOT NULL, 
	workload TEXT NOT NULL, 
	declared TEXT NOT NULL, 
	fork BIGINT NOT NULL, 
	environment TEXT NOT NULL, 
	exactness TEXT NOT NULL, 
	epoch BIGINT NOT NULL, 
	writer TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	PRIMARY KEY ("plan")
);
INSERT INTO "hippo_plan" VALUES(1,'a9a031d399da2d663ca45e58a803a53d1cd89c168a65587bd19e37e544d8b706','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',12,'somebody',1.79530614701785898204e+09);
INSERT INTO "hippo_plan" VALUES(2,'eeaea41b713919954641d1174b972e128ed310241e7de4c260c79480b6b37a7f','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',6,'somebody',1.79530614790663146972e+09);
INSERT INTO "hippo_plan" VALUES(3,'097ad3ddb8e5902c940b83dd39f7b6935d5354bf1e4ff52d805664c8ccd0a3ae','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 10, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79530615342883849146e+09);
INSERT INTO "hippo_plan" VALUES(4,'9188e6730ba588634b7af8579fc562edac19a740fc65e54b732af55eced8083b','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 9, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1795306153.54623);
INSERT INTO "hippo_plan" VALUES(5,'fbe8687c19d1f1fda72c640c46638e7ab490450be963a441cf4d766c898aaf76','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 2, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79530615370896697046e+09);
INSERT INTO "hippo_plan" VALUES(6,'587a910fdbef303ee0c43fe4769ae59c99e4b80a7b941b517d2b3e86d0bbfb79','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": "private (seed 0)", "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.7953061557660565376e+09);
INSERT INTO "hippo_plan" VALUES(7,'a5578882a8f33d0c0082421f2e6cad3c3cbac43aff5080e8a09a4d3171d70008','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": "private (seed 1)", "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79530615595877051358e+09);
INSERT INTO "hippo_plan" VALUES(8,'57fd48ef2a95e184280d32eb74083e86fa09970ba198e57db08b0d66b4ad6aed','{"arguments": "{\"raise_at\":1,\"raise_if\":{\"lr\":0.2},\"raise_in\":\"train\"}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79530615781626105313e+09);
INSERT INTO "hippo_plan" VALUES(9,'ec65d00b46cc445f46365217b558b190cf3644406041e4ef620ccd3d48276e91','{"arguments": "{\"raise_at\":1,\"raise_if\":{\"lr\":0.2},\"raise_in\":\"train\"}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79530615799084186561e+09);
INSERT INTO "hippo_plan" VALUES(10,'6936fecdee1ab09fb99785aa144ad31c79aedeb2a89bca41764799a4733064f4','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 5, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79530616147157406807e+09);
INSERT INTO "hippo_plan" VALUES(11,'f47f13ab8f53c59f27d64bd99306ae333753f7898397ddea065aff318f3c86d0','{"arguments": "{}", "code": "version 2", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.7953061620023858547e+09);
INSERT INTO "hippo_plan" VALUES(12,'7fb2056246e5687cac706b4f7f013e367b594eaeb0e5e8b456a4be91151e707d','{"arguments": "{}", "code": "version 2", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79530616263765764239e+09);
CREATE TABLE hippo_request (
	study BIGINT NOT NULL, 
	request BIGINT NOT NULL, 
	trial BIGINT NOT NULL, 
	until BIGINT NOT NULL, 
	final BOOLEAN NOT NULL, 
	uncovered TEXT NOT NULL, 
	state TEXT NOT NULL, 
	delivery BIGINT, 
	seconds FLOAT, 
	PRIMARY KEY (study, request)
);
INSERT INTO "hippo_request" VALUES(1,1,0,2,1,'','answered',0,2.17222999708610586822e-04);
INSERT INTO "hippo_request" VALUES(1,2,1,2,1,'','answered',1,1.80478999027400277554e-04);
INSERT INTO "hippo_request" VALUES(1,3,2,2,1,'','answered',2,3.88500000553904101252e-04);
INSERT INTO "hippo_request" VALUES(2,1,0,2,1,'','answered',0,2.17222999708610586822e-04);
INSERT INTO "hippo_request" VALUES(2,2,1,2,1,'','answered',0,1.80478999027400277554e-04);
INSERT INTO "hippo_request" VALUES(2,3,2,2,1,'','answered',0,3.88500000553904101252e-04);
INSERT INTO "hippo_request" VALUES(3,1,0,2,1,'','answered',1,3.086100005020853132e-04);
INSERT INTO "hippo_request" VALUES(3,2,1,2,1,'','answered',2,2.06138000066857784986e-04);
INSERT INTO "hippo_request" VALUES(3,3,2,2,1,'','answered',3,2.17252996662864461541e-04);
INSERT INTO "hippo_request" VALUES(4,1,0,2,1,'','answered',0,2.17222999708610586822e-04);
INSERT INTO "hippo_request" VALUES(4,2,1,2,1,'','answered',0,1.80478999027400277554e-04);
INSERT INTO "hippo_request" VALUES(4,3,2,2,1,'','answered',0,3.88500000553904101252e-04);
INSERT INTO "hippo_request" VALUES(5,1,0,2,1,'','answered',0,2.17222999708610586822e-04);
INSERT INTO "hippo_request" VALUES(5,2,1,2,1,'','answered',0,1.80478999027400277554e-04);
INSERT INTO "hippo_request" VALUES(5,3,2,2,1,'','answered',0,3.88500000553904101252e-04);
INSERT INTO "hippo_request" VALUES(6,1,0,2,0,'','answered',0,4.26778000473859719932e-04);
INSERT INTO "hippo_request" VALUES(6,2,1,2,0,'','answered',0,4.26778000473859719932e-04);
INSERT INTO "hippo_request" VALUES(6,3,2,2,0,'','answered',0,4.26778000473859719932e-04);
INSERT INTO "hippo_request" VALUES(6,4,0,4,0,'','answered',1,0.000652496999464347);
INSERT INTO "hippo_request" VALUES(6,5,0,8,1,'','answered',2,9.56750000113970600068e-04);
INSERT INTO "hippo_request" VALUES(6,6,3,3,0,'','answered',0,2.88351002382114529609e-04);
INSERT INTO "hippo_request" VALUES(6,7,4,4,1,'','answered',2,3.06526000713347457349e-04);
INSERT INTO "hippo_request" VALUES(6,8,5,4,1,'','answered',0,6.909799976710928604e-04);
INSERT INTO "hippo_request" VALUES(6,9,6,4,1,'','answered',1,4.5727200085821095854e-04);
INSERT INTO "hippo_request" VALUES(7,1,0,2,0,'','answered',2,2.68179001068347133696e-04);
INSERT INTO "hippo_request" VALUES(8,1,0,2,0,'','answered',1,3.28688996887649409472e-04);
INSERT INTO "hippo_request" VALUES(7,2,0,4,0,'','answered',5,3.8633400072285439819e-04);
INSERT INTO "hippo_request" VALUES(8,2,0,4,0,'','answered',4,5.24591994690126739442e-04);
INSERT INTO "hippo_request" VALUES(7,3,1,2,0,'','answered',8,1.49843001054250635206e-04);
INSERT INTO "hippo_request" VALUES(8,3,1,2,0,'','answered',7,1.5320899910875596106e-04);
INSERT INTO "hippo_request" VALUES(7,4,2,2,0,'','answered',11,1.54189998283982276916e-04);
INSERT INTO "hippo_request" VALUES(8,4,2,2,0,'','answered',10,1.63643000632873736321e-04);
INSERT INTO "hippo_request" VALUES(7,5,3,2,0,'','answered',13,1.52136000906466506421e-04);
INSERT INTO "hippo_request" VALUES(8,5,3,2,0,'','answered',14,1.59388000611215829849e-04);
INSERT INTO "hippo_request" VALUES(7,6,3,4,0,'','answered',16,3.10273000650340691208e-04);
INSERT INTO "hippo_request" VALUES(8,6,3,4,0,'','answered',17,3.0532500022673048079e-04);
INSERT INTO "hippo_request" VALUES(7,7,4,2,0,'','answered',19,4.65776000055484473705e-04);
INSERT INTO "hippo_request" VALUES(8,7,4,2,0,'','answered',20,1.66287001775344833731e-04);
INSERT INTO "hippo_request" VALUES(7,8,5,2,0,'','answered',22,2.17222999708610586822e-04);
INSERT INTO "hippo_request" VALUES(8,8,5,2,0,'','answered',23,3.086100005020853132e-04);
INSERT INTO "hippo_request" VALUES(7,9,6,2,0,'','answered',25,3.88500000553904101252e-04);
INSERT INTO "hippo_request" VALUES(8,9,6,2,0,'','answered',26,2.17252996662864461541e-04);
INSERT INTO "hippo_request" VALUES(7,10,6,4,0,'','answered',28,4.5727200085821095854e-04);
INSERT INTO "hippo_request" VALUES(8,10,6,4,0,'','answered',29,2.83700997897540219128e-04);
INSERT INTO "hippo_request" VALUES(7,11,7,2,0,'','answered',31,1.80478999027400277554e-04);
INSERT INTO "hippo_request" VALUES(8,11,7,2,0,'','answered',32,2.06138000066857784986e-04);
INSERT INTO "hippo_request" VALUES(7,12,8,2,0,'','answered',0,4.26778000473859719932e-04);
INSERT INTO "hippo_request" VALUES(7,13,9,2,0,'','answered',0,4.26778000473859719932e-04);
INSERT INTO "hippo_request" VALUES(7,14,10,2,0,'','answered',0,4.26778000473859719932e-04);
INSERT INTO "hippo_request" VALUES(8,12,8,2,0,'','answered',1,1.47219998325454071164e-04);
INSERT INTO "hippo_request" VALUES(8,13,9,2,0,'','answered',1,1.47219998325454071164e-04);
INSERT INTO "hippo_request" VALUES(8,14,10,2,0,'','answered',1,1.47219998325454071164e-04);
INSERT INTO "hippo_request" VALUES(7,15,8,4,0,'','answered',2,0.000652496999464347);
INSERT INTO "hippo_request" VALUES(8,15,8,4,0,'','answered',3,2.96091999189229682087e-04);
INSERT INTO "hippo_request" VALUES(7,16,8,8,1,'','answered',4,9.56750000113970600068e-04);
INSERT INTO "hippo_request" VALUES(8,16,8,8,1,'','answered',5,5.0492299851612187922e-04);
INSERT INTO "hippo_request" VALUES(7,17,11,3,0,'','answered',0,2.88351002382114529609e-04);
INSERT INTO "hippo_request" VALUES(8,17,11,3,0,'','answered',1,2.58435002251644618809e-04);
INSERT INTO "hippo_request" VALUES(9,1,0,6,0,'[0, 6, 6, 6, 6]','answered',0,3.8767899604863487184e-04);
INSERT INTO "hippo_request" VALUES(10,1,0,6,0,'[0, 6, 6, 6, 6]','answered',1,3.05987005049246363341e-04);
INSERT INTO "hippo_request" VALUES(11,1,0,6,0,'[0, 6, 6, 6, 6]','answered',2,3.0003500069142319262e-04);
INSERT INTO "hippo_request" VALUES(9,2,1,6,0,'[4, 4, 4, 4]','answered',3,4.34018998930696398019e-04);
INSERT INTO "hippo_request" VALUES(10,2,1,6,0,'[4, 4, 4, 4]','answered',4,5.27347001479938626289e-04);
INSERT INTO "hippo_request" VALUES(11,2,1,6,0,'[4, 4, 4, 4]','answered',5,3.45694996212841942906e-04);
INSERT INTO "hippo_request" VALUES(9,3,2,6,0,'[7, 3, 3]','answered',6,5.16911999511648900806e-04);
INSERT INTO "hippo_request" VALUES(10,3,2,6,0,'[7, 3, 3]','answered',7,5.24893001056625507771e-04);
INSERT INTO "hippo_request" VALUES(11,3,2,6,0,'[7, 3, 3]','answered',8,4.30329997470835223793e-04);
INSERT INTO "hippo_request" VALUES(9,4,3,6,0,'[9, 2]','answered',9,5.90061001275898888707e-04);
INSERT INTO "hippo_request" VALUES(10,4,3,6,0,'[9, 2]','answered',10,5.8886800252366811037e-04);
INSERT INTO "hippo_request" VALUES(11,4,3,6,0,'[9, 2]','answered',11,4.97550998261431232094e-04);
INSERT INTO "hippo_request" VALUES(9,5,4,4,1,'','answered',0,2.44133001615409739315e-04);
INSERT INTO "hippo_request" VALUES(9,6,5,4,1,'','answered',1,2.59256001299945637583e-04);
INSERT INTO "hippo_request" VALUES(9,7,6,4,1,'','answered',2,2.53386997428606264293e-04);
INSERT INTO "hippo_request" VALUES(10,5,4,4,1,'','answered',3,2.96875003186869435012e-04);
INSERT INTO "hippo_request" VALUES(10,6,5,4,1,'','answered',4,2.31665000683278776705e-04);
INSERT INTO "hippo_request" VALUES(10,7,6,4,1,'','answered',5,2.21089001570362597703e-04);
INSERT INTO "hippo_request" VALUES(11,5,4,4,1,'','answered',6,2.17495000470080412924e-04);
INSERT INTO "hippo_request" VALUES(11,6,5,4,1,'','answered',7,2.12455999644589610397e-04);
INSERT INTO "hippo_request" VALUES(11,7,6,4,1,'','answered',8,2.03302999580046162009e-04);
INSERT INTO "hippo_request" VALUES(12,1,0,6,0,'[0, 6, 6, 6, 6]','answered',0,4.70861999929184094071e-04);
INSERT INTO "hippo_request" VALUES(13,1,0,6,0,'[0, 6, 6, 6, 6]','answered',1,2.70814400028029922395e-02);
INSERT INTO "hippo_request" VALUES(12,2,1,6,0,'[4, 6, 6, 6]','answered',3,3.12415999360382556915e-04);
INSERT INTO "hippo_request" VALUES(13,2,1,6,0,'[4, 6, 6, 6]','answered',2,3.7135599814064335078e-04);
INSERT INTO "hippo_request" VALUES(12,3,2,6,0,'[7, 6, 6]','answered',5,4.09569998737424612045e-04);
INSERT INTO "hippo_request" VALUES(13,3,2,6,0,'[7, 6, 6]','answered',4,3.08830003632465377449e-04);
INSERT INTO "hippo_request" VALUES(12,4,3,6,0,'[9, 6]','answered',7,3.2036800075729843229e-04);
INSERT INTO "hippo_request" VALUES(13,4,3,6,0,'[9, 6]','answered',6,3.11922001856146380305e-04);
INSERT INTO "hippo_request" VALUES(12,5,4,6,1,'','answered',3,4.61048002762254327535e-04);
INSERT INTO "hippo_request" VALUES(12,6,5,6,1,'','answered',4,3.9761600237397942692e-04);
INSERT INTO "hippo_request" VALUES(12,7,6,6,1,'','answered',5,3.00837993563618510961e-04);
INSERT INTO "hippo_request" VALUES(13,5,4,6,1,'','answered',0,4.18453999373014084994e-04);
INSERT INTO "hippo_request" VALUES(13,6,5,6,1,'','answered',1,3.79865003196755424141e-04);
INSERT INTO "hippo_request" VALUES(13,7,6,6,1,'','answered',2,3.78134000129648484289e-04);
INSERT INTO "hippo_request" VALUES(14,1,0,3,1,'','answered',0,5.18273000125191174447e-04);
INSERT INTO "hippo_request" VALUES(14,2,1,3,1,'','answered',2,1.963029972102958709e-04);
INSERT INTO "hippo_request" VALUES(14,3,2,3,1,'','answered',4,1.17945999591029249131e-04);
INSERT INTO "hippo_request" VALUES(15,1,0,3,1,'','answered',1,3.58245002644252963364e-04);
INSERT INTO "hippo_request" VALUES(15,2,1,3,1,'','answered',3,1.95911998162046074867e-04);
INSERT INTO "hippo_request" VALUES(15,3,2,3,1,'','answered',5,1.16444001832860521972e-04);
INSERT INTO "hippo_request" VALUES(16,1,0,2,0,'','answered',1,2.68179001068347133696e-04);
INSERT INTO "hippo_request" VALUES(17,1,0,2,0,'','answered',2,3.28688996887649409472e-04);
INSERT INTO "hippo_request" VALUES(16,2,0,4,0,'','answered',4,3.8633400072285439819e-04);
INSERT INTO "hippo_request" VALUES(17,2,0,4,0,'','answered',5,5.24591994690126739442e-04);
INSERT INTO "hippo_request" VALUES(16,3,1,2,0,'','answered',7,1.49843001054250635206e-04);
INSERT INTO "hippo_request" VALUES(17,3,1,2,0,'','answered',8,1.5320899910875596106e-04);
INSERT INTO "hippo_request" VALUES(16,4,2,2,0,'','answered',10,1.54189998283982276916e-04);
INSERT INTO "hippo_request" VALUES(17,4,2,2,0,'','answered',11,1.63643000632873736321e-04);
INSERT INTO "hippo_request" VALUES(16,5,3,2,0,'','answered',13,1.52136000906466506421e-04);
INSERT INTO "hippo_request" VALUES(17,5,3,2,0,'','answered',14,1.59388000611215829849e-04);
INSERT INTO "hippo_request" VALUES(18,1,0,3,1,'','answered',0,2.64243000856367871165e-04);
INSERT INTO "hippo_request" VALUES(18,2,1,3,1,'','answered',0,2.269869983138050884e-04);
INSERT INTO "hippo_request" VALUES(18,3,2,3,1,'','answered',0,4.23702000261982902884e-04);
INSERT INTO "hippo_request" VALUES(19,1,0,3,1,'','answered',2,3.42540000929147936403e-04);
INSERT INTO "hippo_request" VALUES(19,2,1,3,1,'','answered',1,2.72007000603480264544e-04);
INSERT INTO "hippo_request" VALUES(19,3,2,3,1,'','answered',0,2.5100299717450980097e-04);
INSERT INTO "hippo_request" VALUES(20,1,0,3,1,'','answered',0,5.05483998495037667453e-04);
INSERT INTO "hippo_request" VALUES(20,2,1,3,1,'','answered',1,1.93067997315665706992e-04);
INSERT INTO "hippo_request" VALUES(20,3,2,3,1,'','answered',2,2.86697000774438492953e-04);
INSERT INTO "hippo_request" VALUES(21,1,0,3,1,'','answered',0,0.000244045002546045);
INSERT INTO "hippo_request" VALUES(21,2,1,3,1,'','answered',1,3.01121001029969193041e-04);
INSERT INTO "hippo_request" VALUES(21,3,2,3,1,'','answered',2,1.9446199803496710956e-04);
INSERT INTO "hippo_request" VALUES(22,1,0,3,1,'','answered',0,0.000244045002546045);
INSERT INTO "hippo_request" VALUES(22,2,1,3,1,'','answered',0,3.01121001029969193041e-04);
INSERT INTO "hippo_request" VALUES(22,3,2,3,1,'','answered',0,1.9446199803496710956e-04);
INSERT INTO "hippo_request" VALUES(23,1,0,3,1,'','answered',1,1.80887996975798159837e-04);
INSERT INTO "hippo_request" VALUES(23,2,1,3,1,'','answered',2,3.50963999153464101254e-04);
INSERT INTO "hippo_request" VALUES(23,3,2,3,1,'','answered',3,1.93896996279363520443e-04);
CREATE TABLE hippo_state (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	state_hash TEXT NOT NULL, 
	PRIMARY KEY ("plan", node, step)
);
INSERT INTO "hippo_state" VALUES(1,1,2,'81608b9055b377a465c56b4e992e972e2d460886e8656929c66c2db1d5ae499b');
INSERT INTO "hippo_state" VALUES(1,2,2,'56494864e705081ac8e52b7d9cda6912f8e44e0a20470dbcf7a747e3f346d3ae');
INSERT INTO "hippo_state" VALUES(1,3,2,'336a68a104565d6c827edcb36bb68e36d434ab881fe9ebf6ea384ea37d19f149');
INSERT INTO "hippo_state" VALUES(2,1,2,'3bec757eb724b8f7f5c9bcce718cb8d6412c447b5daedf17153e0344cea75e95');
INSERT INTO "hippo_state" VALUES(2,2,2,'c6facb0d31f577a89d05a61149d5f127268e9847f7e57b83e6160f72a01dfe2e');
INSERT INTO "hippo_state" VALUES(2,3,2,'b76d724ab1021ddbca984077b42f2ef47e9f6afd0f4185c5034400861eb27251');
INSERT INTO "hippo_state" VALUES(1,4,2,'ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0');
INSERT INTO "hippo_state" VALUES(1,5,4,'c6c5ed2db70247d111ed0a2d562895870fd6587cde669889fc0de7c1e0f7108c');
INSERT INTO "hippo_state" VALUES(1,5,8,'7ccf99507720545ab465d548971ed34b76068852a4df47d63779e8878eaeffe5');
INSERT INTO "hippo_state" VALUES(1,6,3,'8f87b52ea89e85a609579d42e1d1d059185fdbff14b82529aecc291ade59c2dc');
INSERT INTO "hippo_state" VALUES(1,2,4,'55e209a12f3927e87c36304dbf60b8650447db6b8cd0cac7e6b98259c2eac41f');
INSERT INTO "hippo_state" VALUES(1,3,4,'f857fccbf78e7b2393676545b71bfc4967635ed92015c3452ebf650feadaa122');
INSERT INTO "hippo_state" VALUES(1,1,4,'40bfd8acb39008f8fc629cef63fe26a3bf4bb9a39eff8bc1657b8beb0a372b4f');
INSERT INTO "hippo_state" VALUES(2,4,2,'f89007e3e104f22f3cb4f135c5798ae243cd19a35b647752c69c8a3d6b79e68b');
INSERT INTO "hippo_state" VALUES(1,7,2,'c24331926e9a3fa6b70a88044be9e146aad54426bf2a568a5dbd40c787364b79');
INSERT INTO "hippo_state" VALUES(2,4,4,'3f6c1e6a76ab985747271cc33e4b7047def94b02fec9ad7cb90d514f36c3356d');
INSERT INTO "hippo_state" VALUES(1,7,4,'7b360b708c96252fa1ce14c47cc443d2013082d5fdd761922bab9e7f7a37c99f');
INSERT INTO "hippo_state" VALUES(2,5,2,'b24a71e32f50cf1c7153914a93700c3aec4af0fa151806f6280e9c487f3778b3');
INSERT INTO "hippo_state" VALUES(1,8,2,'5d088ba1ca5e0e8559a355fb19e4696ab5388762e77325dea1dbc23b37e9974f');
INSERT INTO "hippo_state" VALUES(2,6,2,'16e61b832fa0c2e7e967e965da8fe80437fd30e40848142105640840645f14ba');
INSERT INTO "hippo_state" VALUES(1,9,2,'44d6ace46f7d7ba1c67ab9ecbcb01161a070b5244f417c89f2eb477ad9fcd302');
INSERT INTO "hippo_state" VALUES(1,10,2,'6dd45e138dbd40b70e1974e4f00bff0d96be4806206edf6a67c31de4c546a3ac');
INSERT INTO "hippo_state" VALUES(2,7,2,'c9a1608d29b793a344f5412c2412446b3f6b59aadb303e91655824ac14164f6b');
INSERT INTO "hippo_state" VALUES(1,10,4,'5b9fd77ba6e56062d329fe4c6e76843db24c6244b33d48414dfec89b74a3ad91');
INSERT INTO "hippo_state" VALUES(2,7,4,'e920267c6ccfbfb537924d8e605a0c608a16a07c084522ed3281c21512016f43');
INSERT INTO "hippo_state" VALUES(1,11,2,'b8811bcff2c2822f57ff29afe6837f119bd85147e416556e9c9ee07232b4838d');
INSERT INTO "hippo_state" VALUES(2,8,2,'4e585ae47a3fbb6d0cab636a69168908a1b8ce45e0bc23c33efba573c2937823');
INSERT INTO "hippo_state" VALUES(2,3,4,'fe6cd1c6e056bc3c5b53e524f6b93437daacbf827e569775f540b85ddfaa3bed');
INSERT INTO "hippo_state" VALUES(2,9,2,'e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8');
INSERT INTO "hippo_state" VALUES(2,10,4,'eb4956d93320110551e2cfda932fb7909b23e07f5c88499926cef3735443574b');
INSERT INTO "hippo_state" VALUES(2,10,8,'1e706ac9bf5a65263776d8ea55f9d099985e9d4aa62e2281f74f1fb135e32ecd');
INSERT INTO "hippo_state" VALUES(2,11,3,'43e94f03ee38d51e6f61df5a1523034a23aaff3162e79f59fed4a0a0ddfa1f2b');
INSERT INTO "hippo_state" VALUES(3,1,2,'3d39ed117309851de4116e9162c7b29470c348b1598bd86d000512d95d358bf5');
INSERT INTO "hippo_state" VALUES(3,2,6,'106d8f7dc165040ea7a9eba188a1a49527a4192c7a5c3956d1a0c421894ed413');
INSERT INTO "hippo_state" VALUES(4,1,2,'b84cfad7812a3c5335cfeaf8157470e8c94da25ce39643dab68088659b8f1c07');
INSERT INTO "hippo_state" VALUES(4,2,6,'0a5835ad9be5026cb24c0eeaff96d4ada0f7e082c8af8a8a0d77d8b6ff62e933');
INSERT INTO "hippo_state" VALUES(5,1,2,'b85e094b37ff205bc91eae32b959aa1ba3f3ebe41bf74b8de31dcdb33cfe85f0');
INSERT INTO "hippo_state" VALUES(5,2,6,'8d4f756e901a086d9fca67c480a92504e36cbda5b422ed361ad16c600a777692');
INSERT INTO "hippo_state" VALUES(3,1,3,'3f7b8440bc654a7a1182a6d860cb72f9a9046730f4257dcfafa0d3df37b9cc40');
INSERT INTO "hippo_state" VALUES(3,3,6,'202f806acc7426064f84bb24911dadd6ba3da8af9a9698372b1008a40ee1a07e');
INSERT INTO "hippo_state" VALUES(4,1,3,'629ad02a3ca49248f4d3aea1d0a82e2e7d3f6bd5b3f6f6d5f41c705519bc04a8');
INSERT INTO "hippo_state" VALUES(4,3,6,'f7a8815999beee21d9d27cb6a179cf73dbc6cb74f53f09900a957f2aac0764f6');
INSERT INTO "hippo_state" VALUES(5,1,3,'9d1fee37b049ce1c0b882aa0fd421639b84a5003c9f7cffbe6cd90260a49d8d5');
INSERT INTO "hippo_state" VALUES(5,3,6,'d7cfb89d7bbda5db56f733ee273efffc29a6ad8caaffaacca5b9f7af2416e67e');
INSERT INTO "hippo_state" VALUES(3,1,4,'7d07a3e631e5ae1e87488ec07cb45356e09f4322f26461518244aaedfe479c98');
INSERT INTO "hippo_state" VALUES(3,4,6,'cdb1ff3cf884afa1cff95e0bf9e9f0642a4296574b48da5a8dbeb9824736f590');
INSERT INTO "hippo_state" VALUES(4,1,4,'bcae085497a4e65ee8826598eb50ae9bdb9b9aee1244dac8637c7a251e451445');
INSERT INTO "hippo_state" VALUES(4,4,6,'3057041505e33f095b3ea8ef0b064d91d656a0afc7a4ce1a76bab241723b259a');
INSERT INTO "hippo_state" VALUES(5,1,4,'6b82ed40479132b4af611811c5c692baae988cba3278d344ab5dccec28915dd9');
INSERT INTO "hippo_state" VALUES(5,4,6,'be536ccee8f6b9ae75ff1196844acfe7dfa9ad539d6c3b0fd9abe38dcf711176');
INSERT INTO "hippo_state" VALUES(3,1,5,'ca7a5e0e2024f0cd92ba51500cba2fe760f61e5a3bee8ff2993ed5b5f4e844d2');
INSERT INTO "hippo_state" VALUES(3,5,6,'a8e2cf64d5f4d0d71dfc134bf1c80dbe87740e97ce8e38acef18701867925949');
INSERT INTO "hippo_state" VALUES(4,1,5,'0735fe4163f7aa5e706eeb7c62f592aa607bdca5a78a6c2360bf87f2f6d4a67d');
INSERT INTO "hippo_state" VALUES(4,5,6,'3137f7d9837d0f7499f7d7b991a881e04dd804082834032cdc7141716c2a8790');
INSERT INTO "hippo_state" VALUES(5,1,5,'baf52bf43b40c23d50ac507d16d2af1a03cc4a7046113fb9d1aa493a698697f0');
INSERT INTO "hippo_state" VALUES(5,5,6,'9b806778137175035b67b0f3b4ab694bbfe535c36a4cb07e0fac525757efdef3');
INSERT INTO "hippo_state" VALUES(3,6,4,'907ab37828da271c886d2544ec2c1cd4c3bdba5694dabe8c716991dc6ff6ad76');
INSERT INTO "hippo_state" VALUES(3,7,4,'cee33f2e9b6ea3e218156f001f1b739229d949080c03a1ed9799cf97e43a2b2f');
INSERT INTO "hippo_state" VALUES(3,8,4,'e52d097cf4d6c80a5108e7bb530ca5fa7f5fe910068dd308a7cca9148559fe3a');
INSERT INTO "hippo_state" VALUES(4,6,4,'5936f8f892bda8c37d8ba8e05666d9db2d7127b172937a44501e8d78b2219070');
INSERT INTO "hippo_state" VALUES(4,7,4,'c34510328c6961cd8599c121751da78e526329f5e1c76ba1c3e5c154f58476c7');
INSERT INTO "hippo_state" VALUES(4,8,4,'eb244d2f83d1df153486bcedda8686e1a293513ab919dfb0bdb4f6d05081bc88');
INSERT INTO "hippo_state" VALUES(5,6,4,'9ff213c9244c06c86a6dd7ffff4a45fce142fa1d75b145be1e1e72701924c52e');
INSERT INTO "hippo_state" VALUES(5,7,4,'93c595d68e8e37395e4f4db70f929ce5117bb5824fdb94c6e423d50b9678a714');
INSERT INTO "hippo_state" VALUES(5,8,4,'f327eb8a3d24395a98424014c9d202acca9fb96ebb8130b88df4931287c5124a');
INSERT INTO "hippo_state" VALUES(6,1,2,'ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0');
INSERT INTO "hippo_state" VALUES(6,2,6,'b9c59c55c1fe0d3b17d09723229a3d23d418e2ac950f050ea6f03d1fec0410c2');
INSERT INTO "hippo_state" VALUES(7,1,2,'e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8');
INSERT INTO "hippo_state" VALUES(7,2,6,'60daac999ac77fe06e6d1e1ac5d96bb03cd0f40959636f4a55bf2db0901e4358');
INSERT INTO "hippo_state" VALUES(7,3,3,'0fd2c7011dd20de0816990efd9cf1de67ec5fd116c6903cf827010ee904b7e08');
INSERT INTO "hippo_state" VALUES(7,4,6,'388a2c86da97c10344907323be57be5b491208f614d4bdfd4bbf443fb1806a31');
INSERT INTO "hippo_state" VALUES(6,3,3,'0fcb948aead3fda09fe443b148b569ae1ec390e158e87ccd5168e86b1f4015cb');
INSERT INTO "hippo_state" VALUES(6,4,6,'d7bd2605606570415dd8629f1c080da1643e5fa9086e7ff71c446a4e2461cca8');
INSERT INTO "hippo_state" VALUES(7,5,4,'0d8fb9a8e721ceff92d8d70dfff789f30310b29f9cd6173ba34cf1f7adedf8a8');
INSERT INTO "hippo_state" VALUES(7,6,6,'42beacd6bbc9a7b03bab4e513a7f895cd82902e32b4499079782cfaa430f2722');
INSERT INTO "hippo_state" VALUES(6,5,4,'a7db5c1729f4260b4c35968eb98e004c28281c79d4834942e92f50af1e9badfd');
INSERT INTO "hippo_state" VALUES(6,6,6,'c075d5dd50caba1ef5d6786cc6f0394f1b822a87110a5dd8397191b91290550c');
INSERT INTO "hippo_state" VALUES(7,7,5,'f822aafecd7ad221a5060c2f1a15f4d4eefd514591ffb070c685bafd8656d57d');
INSERT INTO "hippo_state" VALUES(7,8,6,'183c3ef6e4615b644a7a2f0f588fbe0758900341be72435f1c898583e975a853');
INSERT INTO "hippo_state" VALUES(6,7,5,'0680ec494bd71511e37dacf4b06249796c01c5589c76d051eacb524f0ad309a7');
INSERT INTO "hippo_state" VALUES(6,8,6,'75e2559ebb8db4b0d3625153b373727731938ea5f49e247bdcce22fee9f244bf');
INSERT INTO "hippo_state" VALUES(7,10,6,'5abc37a6a7fb36c40f1eec424d522c1cf9a8d5f27a3e9272885815d84150f1d9');
INSERT INTO "hippo_state" VALUES(7,12,6,'934c3ca92fb3ac0250536168168aa1968377aced17b48d09d68ca8416adc333d');
INSERT INTO "hippo_state" VALUES(7,13,6,'746d4acf4ece4bf504504100b69802f82b04bf9abc8638107cccf0c5d46ad3d8');
INSERT INTO "hippo_state" VALUES(6,10,6,'f76ed637dee1f1f8dff51df4599ae88b756e9cc8fe686085a514383a22bf7d33');
INSERT INTO "hippo_state" VALUES(6,12,6,'6bedde26aacbc1b956a8b73e9b59af07b3e2711ae1386670aba6c88df5315038');
INSERT INTO "hippo_state" VALUES(6,13,6,'b16b8bdf9fa5b2066862ce627f84cbd910d2eeb67d1764ab276bdd5a408624dc');
INSERT INTO "hippo_state" VALUES(8,1,3,'148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73');
INSERT INTO "hippo_state" VALUES(9,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(8,2,3,'822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04');
INSERT INTO "hippo_state" VALUES(9,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(2,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(2,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(10,1,3,'2c89878e8b04ab0e5bc0e673e20cd8f5f44ef39bda139514feb6d56a1575121b');
INSERT INTO "hippo_state" VALUES(10,2,3,'6ce4e3ff5b4c9d028b52b6b581f4769575173cc05a817a1c1fd0fc121b90deb2');
INSERT INTO "hippo_state" VALUES(10,3,3,'c2dbb6f980b2195cb51b54f05709c086222934ea165981672026332c87c559ed');
INSERT INTO "hippo_state" VALUES(11,1,3,'148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73');
INSERT INTO "hippo_state" VALUES(11,2,3,'822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04');
INSERT INTO "hippo_state" VALUES(11,3,3,'9ad48dec4d8870e0e7d129769c605c17fec579b75df85313be40703f32b43c21');
INSERT INTO "hippo_state" VALUES(12,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(12,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(12,3,3,'15c561d89a19a00232fcd4cd92c8b5b8fe356e6ba39da09b7e92000434897c3e');
CREATE TABLE hippo_step (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	attempt BIGINT NOT NULL, 
	cause TEXT NOT NULL, 
	study BIGINT NOT NULL, 
	training TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	PRIMARY KEY ("plan", node, step, attempt)
);
INSERT INTO "hippo_step" VALUES(1,1,1,0,'first',1,'{"slope": 2.1684074606012884}',1.26409000586136244237e-04);
INSERT INTO "hippo_step" VALUES(1,1,2,0,'first',1,'{"slope": 1.8679250176159752}',5.23880007676780223846e-05);
INSERT INTO "hippo_step" VALUES(1,1,2,1,'check',1,'{}',4.23567499638011213392e-04);
INSERT INTO "hippo_step" VALUES(1,1,1,1,'check',1,'{}',4.23567499638011213392e-04);
INSERT INTO "hippo_step" VALUES(1,2,1,0,'first',1,'{"slope": 2.1684074606012884}',1.12486999569227918982e-04);
INSERT INTO "hippo_step" VALUES(1,2,2,0,'first',1,'{"slope": 2.301606509736233}',3.63439994544023647904e-05);
INSERT INTO "hippo_step" VALUES(1,3,1,0,'first',1,'{"slope": 2.1684074606012884}',1.10856000901549123227e-04);
INSERT INTO "hippo_step" VALUES(1,3,2,0,'first',1,'{"slope": 2.0847657636761037}',1.34890999106573872268e-04);
INSERT INTO "hippo_step" VALUES(2,1,1,0,'first',3,'{"slope": 1.8204734693921991}',1.31176000650157220661e-04);
INSERT INTO "hippo_step" VALUES(2,1,2,0,'first',3,'{"slope": 1.0129464744554324}',1.22072000522166490554e-04);
INSERT INTO "hippo_step" VALUES(2,1,2,1,'check',3,'{}',6.94762000421178527176e-04);
INSERT INTO "hippo_step" VALUES(2,1,1,1,'check',3,'{}',6.94762000421178527176e-04);
INSERT INTO "hippo_step" VALUES(2,2,1,0,'first',3,'{"slope": 1.8204734693921991}',1.20840999443316832184e-04);
INSERT INTO "hippo_step" VALUES(2,2,2,0,'first',3,'{"slope": 1.3770411683338724}',4.91530008730478584766e-05);
INSERT INTO "hippo_step" VALUES(2,3,1,0,'first',3,'{"slope": 1.8204734693921991}',1.3100499927531927824e-04);
INSERT INTO "hippo_step" VALUES(2,3,2,0,'first',3,'{"slope": 1.1949938213946525}',4.90429993078578263521e-05);
INSERT INTO "hippo_step" VALUES(1,4,1,0,'first',6,'{"slope": 2.1684074606012884}',1.26719000036246143281e-04);
INSERT INTO "hippo_step" VALUES(1,4,2,0,'first',6,'{"slope": 1.8679250176159752}',1.42722999953548423945e-04);
INSERT INTO "hippo_step" VALUES(1,5,3,0,'first',6,'{"slope": 1.34201546402799}',8.99349997780518606305e-05);
INSERT INTO "hippo_step" VALUES(1,5,4,0,'first',6,'{"slope": 0.7770542221796604}',5.14269995619542896747e-05);
INSERT INTO "hippo_step" VALUES(1,5,4,1,'check',6,'{}',7.59483997171628288924e-04);
INSERT INTO "hippo_step" VALUES(1,5,5,0,'first',6,'{"slope": 1.2119303775259596}',1.26478000311180949211e-04);
INSERT INTO "hippo_step" VALUES(1,5,6,0,'first',6,'{"slope": 0.9085728529513986}',4.74810003652237355709e-05);
INSERT INTO "hippo_step" VALUES(1,5,7,0,'first',6,'{"slope": 1.0616997260836607}',3.46619999618269503116e-05);
INSERT INTO "hippo_step" VALUES(1,5,8,0,'first',6,'{"slope": 1.0554653390836866}',3.29489994328469038009e-05);
INSERT INTO "hippo_step" VALUES(1,5,8,1,'check',6,'{}',6.87145999108906835317e-04);
INSERT INTO "hippo_step" VALUES(1,6,1,0,'first',6,'{"slope": 2.1684074606012884}',1.41922000693739391863e-04);
INSERT INTO "hippo_step" VALUES(1,6,2,0,'first',6,'{"slope": 1.9763453906460395}',5.23380003869533538818e-05);
INSERT INTO "hippo_step" VALUES(1,6,3,0,'first',6,'{"slope": 1.4990607306732788}',3.68750006600748747587e-05);
INSERT INTO "hippo_step" VALUES(1,2,1,1,'not kept',6,'{"slope": 2.1684074606012884}',1.31546999909915030002e-04);
INSERT INTO "hippo_step" VALUES(1,2,2,1,'not kept',6,'{"slope": 2.301606509736233}',5.64340007258579134941e-05);
INSERT INTO "hippo_step" VALUES(1,2,3,0,'first',6,'{"slope": 2.028646979470856}',3.40299993695225566625e-05);
INSERT INTO "hippo_step" VALUES(1,2,4,0,'first',6,'{"slope": 1.3850306932188248}',4.44523999249213375151e-04);
INSERT INTO "hippo_step" VALUES(1,3,1,1,'not kept',6,'{"slope": 2.1684074606012884}',9.98990017251344397664e-05);
INSERT INTO "hippo_step" VALUES(1,3,2,1,'not kept',6,'{"slope": 2.0847657636761037}',3.15270008286461234092e-05);
INSERT INTO "hippo_step" VALUES(1,3,3,0,'first',6,'{"slope": 1.6658477387955193}',2.50269986281637102365e-05);
INSERT INTO "hippo_step" VALUES(1,3,4,0,'first',6,'{"slope": 0.8721170592481295}',2.36450014199363067746e-05);
INSERT INTO "hippo_step" VALUES(1,1,1,2,'evicted',6,'{"slope": 2.1684074606012884}',9.17170000320766121149e-05);
INSERT INTO "hippo_step" VALUES(1,1,2,2,'evicted',6,'{"slope": 1.8679250176159752}',3.13159998768242076039e-05);
INSERT INTO "hippo_step" VALUES(1,1,3,0,'first',6,'{"slope": 1.3420154640279898}',3.37800011038780212402e-05);
INSERT INTO "hippo_step" VALUES(1,1,4,0,'first',6,'{"slope": 0.5107605324678836}',3.16370005748467519879e-05);
INSERT INTO "hippo_step" VALUES(2,4,1,0,'first',8,'{"slope": 1.8204734693921991}',9.37489985517459e-05);
INSERT INTO "hippo_step" VALUES(2,4,2,0,'first',8,'{"slope": 0.17591240296894667}',0.000102742998933536);
INSERT INTO "hippo_step" VALUES(1,7,1,0,'first',7,'{"slope": 2.1684074606012884}',8.94229997356887906789e-05);
INSERT INTO "hippo_step" VALUES(1,7,2,0,'first',7,'{"slope": 0.783721287315331}',8.47259998408844694495e-05);
INSERT INTO "hippo_step" VALUES(2,4,3,0,'first',8,'{"slope": 0.19964804697841}',6.1651999203604646027e-05);
INSERT INTO "hippo_step" VALUES(2,4,4,0,'first',8,'{"slope": 0.2962732235604226}',9.42810002015903592109e-05);
INSERT INTO "hippo_step" VALUES(2,4,4,1,'check',8,'{}',6.43370000034337863326e-04);
INSERT INTO "hippo_step" VALUES(1,7,3,0,'first',7,'{"slope": 0.3073585788074452}',6.60379992041271179914e-05);
INSERT INTO "hippo_step" VALUES(1,7,4,0,'first',7,'{"slope": 0.5780884852738262}',2.9344000722630880773e-05);
INSERT INTO "hippo_step" VALUES(2,5,1,0,'first',8,'{"slope": 1.8204734693921991}',9.4941999122966080904e-05);
INSERT INTO "hippo_step" VALUES(2,5,2,0,'first',8,'{"slope": 0.2847570866985527}',3.10260002152062952518e-05);
INSERT INTO "hippo_step" VALUES(1,8,1,0,'first',7,'{"slope": 2.1684074606012884}',9.28589997784001752734e-05);
INSERT INTO "hippo_step" VALUES(1,8,2,0,'first',7,'{"slope": 1.00056203337546}',2.99549992632819339632e-05);
INSERT INTO "hippo_step" VALUES(2,6,1,0,'first',8,'{"slope": 1.8204734693921991}',1.02402000266010873019e-04);
INSERT INTO "hippo_step" VALUES(2,6,2,0,'first',8,'{"slope": 0.4668044336377725}',3.23580006806878373026e-05);
INSERT INTO "hippo_step" VALUES(1,9,1,0,'first',7,'{"slope": 2.1684074606012884}',9.59729986789170652627e-05);
INSERT INTO "hippo_step" VALUES(1,9,2,0,'first',7,'{"slope": 1.2174027794355886}',3.0324999897857196629e-05);
INSERT INTO "hippo_step" VALUES(1,10,1,0,'first',7,'{"slope": 2.1684074606012884}',9.31689992285100743174e-05);
INSERT INTO "hippo_step" VALUES(1,10,2,0,'first',7,'{"slope": 1.4342435254957175}',3.18470010824967175722e-05);
INSERT INTO "hippo_step" VALUES(2,7,1,0,'first',8,'{"slope": 1.8204734693921991}',9.79659998847637325525e-05);
INSERT INTO "hippo_step" VALUES(2,7,2,0,'first',8,'{"slope": 0.6488517805769927}',3.26589997712289914488e-05);
INSERT INTO "hippo_step" VALUES(1,10,3,0,'first',7,'{"slope": 0.8112518122163512}',9.89279997156700119376e-05);
INSERT INTO "hippo_step" VALUES(1,10,4,0,'first',7,'{"slope": 0.27385489401289265}',3.13669988827314227819e-05);
INSERT INTO "hippo_step" VALUES(2,7,3,0,'first',8,'{"slope": 0.26603935669580697}',8.88920003490056842565e-05);
INSERT INTO "hippo_step" VALUES(2,7,4,0,'first',8,'{"slope": 0.4132885434353006}',3.04460008919704705476e-05);
INSERT INTO "hippo_step" VALUES(1,11,1,0,'first',7,'{"slope": 2.1684074606012884}',1.05577999420347623527e-04);
INSERT INTO "hippo_step" VALUES(1,11,2,0,'first',7,'{"slope": 1.6510842715558463}',2.00628999664331786334e-04);
INSERT INTO "hippo_step" VALUES(2,8,1,0,'first',8,'{"slope": 1.8204734693921991}',1.06379000499146059155e-04);
INSERT INTO "hippo_step" VALUES(2,8,2,0,'first',8,'{"slope": 0.8308991275162125}',3.18769998557399958372e-05);
INSERT INTO "hippo_step" VALUES(2,3,1,1,'not kept',8,'{"slope": 1.8204734693921991}',9.62630001595243811607e-05);
INSERT INTO "hippo_step" VALUES(2,3,2,1,'not kept',8,'{"slope": 1.1949938213946525}',2.97139995382167398929e-05);
INSERT INTO "hippo_step" VALUES(2,3,3,0,'first',8,'{"slope": 0.8976085235230326}',2.38150005316128954291e-05);
INSERT INTO "hippo_step" VALUES(2,3,4,0,'first',8,'{"slope": 0.8597683039618846}',2.29440011025872081518e-05);
INSERT INTO "hippo_step" VALUES(2,9,1,0,'first',8,'{"slope": 1.8204734693921991}',8.82419990375638e-05);
INSERT INTO "hippo_step" VALUES(2,9,2,0,'first',8,'{"slope": 1.0129464744554326}',3.15569996018894e-05);
INSERT INTO "hippo_step" VALUES(2,10,3,0,'first',8,'{"slope": 0.6506759985261135}',9.39999990805517882108e-05);
INSERT INTO "hippo_step" VALUES(2,10,4,0,'first',8,'{"slope": 0.8045858496192188}',2.95240006380481645464e-05);
INSERT INTO "hippo_step" VALUES(2,10,5,0,'first',8,'{"slope": 1.2220253407422799}',8.70800013217376545071e-05);
INSERT INTO "hippo_step" VALUES(2,10,6,0,'first',8,'{"slope": 0.7296420188318229}',2.86630001937737688422e-05);
INSERT INTO "hippo_step" VALUES(2,10,7,0,'first',8,'{"slope": 0.5455514725110924}',2.4176000806619413197e-05);
INSERT INTO "hippo_step" VALUES(2,10,8,0,'first',8,'{"slope": 0.6166260104939352}',2.36449996009469032287e-05);
INSERT INTO "hippo_step" VALUES(2,10,8,1,'check',8,'{}',7.42335799623106140643e-03);
INSERT INTO "hippo_step" VALUES(2,11,1,0,'first',8,'{"slope": 1.8204734693921991}',9.65840008575469255447e-05);
INSERT INTO "hippo_step" VALUES(2,11,2,0,'first',8,'{"slope": 1.1039701479250426}',3.08159997075563296675e-05);
INSERT INTO "hippo_step" VALUES(2,11,3,0,'first',8,'{"slope": 0.7695910773510926}',8.79510007507633417844e-05);
INSERT INTO "hippo_step" VALUES(3,1,1,0,'first',9,'{"slope": 2.7900312967625474}',9.54319984884932637214e-05);
INSERT INTO "hippo_step" VALUES(3,1,2,0,'first',9,'{"slope": 1.947715775360734}',9.73850001173559576272e-05);
INSERT INTO "hippo_step" VALUES(3,1,2,1,'check',9,'{}',4.44022499323182273656e-04);
INSERT INTO "hippo_step" VALUES(3,1,1,1,'check',9,'{}',4.44022499323182273656e-04);
INSERT INTO "hippo_step" VALUES(3,2,3,0,'first',9,'{"slope": 1.214479865716606}',4.33039986091898754239e-05);
INSERT INTO "hippo_step" VALUES(3,2,4,0,'first',9,'{"slope": 0.7692247244424143}',2.44960010604700073599e-05);
INSERT INTO "hippo_step" VALUES(3,2,5,0,'first',9,'{"slope": 0.8496178021757814}',2.36460000451188534498e-05);
INSERT INTO "hippo_step" VALUES(3,2,6,0,'first',9,'{"slope": 0.8890471612377592}',2.31550002354197204113e-05);
INSERT INTO "hippo_step" VALUES(3,2,6,1,'check',9,'{}',3.70904997907928191125e-04);
INSERT INTO "hippo_step" VALUES(4,1,1,0,'first',10,'{"slope": 3.052415687658902}',9.48120014072628691792e-05);
INSERT INTO "hippo_step" VALUES(4,1,2,0,'first',10,'{"slope": 2.157956608520416}',3.13870004902128130197e-05);
INSERT INTO "hippo_step" VALUES(4,1,2,1,'check',10,'{}',3.39231499310699291527e-04);
INSERT INTO "hippo_step" VALUES(4,1,1,1,'check',10,'{}',3.39231499310699291527e-04);
INSERT INTO "hippo_step" VALUES(4,2,3,0,'first',10,'{"slope": 1.2398720270953068}',4.33349996455945074558e-05);
INSERT INTO "hippo_step" VALUES(4,2,4,0,'first',10,'{"slope": 1.174541855544692}',2.52170011663110926747e-05);
INSERT INTO "hippo_step" VALUES(4,2,5,0,'first',10,'{"slope": 0.9734936107542089}',2.36449996009469032287e-05);
INSERT INTO "hippo_step" VALUES(4,2,6,0,'first',10,'{"slope": 1.0038806833528109}',2.40760000451700761914e-05);
INSERT INTO "hippo_step" VALUES(4,2,6,1,'check',10,'{}',3.18062999212997965514e-04);
INSERT INTO "hippo_step" VALUES(5,1,1,0,'first',11,'{"slope": 1.9163847102518394}',8.87620008143130689859e-05);
INSERT INTO "hippo_step" VALUES(5,1,2,0,'first',11,'{"slope": 1.6931119550395772}',3.18879992846632376313e-05);
INSERT INTO "hippo_step" VALUES(5,1,2,1,'check',11,'{}',3.26221999785047955811e-04);
INSERT INTO "hippo_step" VALUES(5,1,1,1,'check',11,'{}',3.26221999785047955811e-04);
INSERT INTO "hippo_step" VALUES(5,2,3,0,'first',11,'{"slope": 1.023953754646024}',4.20720007241470739245e-05);
INSERT INTO "hippo_step" VALUES(5,2,4,0,'first',11,'{"slope": 0.8705306691782584}',2.53979997069109231233e-05);
INSERT INTO "hippo_step" VALUES(5,2,5,0,'first',11,'{"slope": 0.6712956490741686}',2.35650004469789564609e-05);
INSERT INTO "hippo_step" VALUES(5,2,6,0,'first',11,'{"slope": 0.5026916663445289}',2.34649996855296194553e-05);
INSERT INTO "hippo_step" VALUES(5,2,6,1,'check',11,'{}',3.25176002661464735865e-04);
INSERT INTO "hippo_step" VALUES(3,1,3,0,'first',9,'{"slope": 1.214479865716606}',6.1321999965002760291e-05);
INSERT INTO "hippo_step" VALUES(3,3,4,0,'first',9,'{"slope": 0.5870527445849235}',4.66800011054147034883e-05);
INSERT INTO "hippo_step" VALUES(3,3,5,0,'first',9,'{"slope": 0.6947716192969142}',2.53880007221596315503e-05);
INSERT INTO "hippo_step" VALUES(3,3,6,0,'first',9,'{"slope": 0.757427905790722}',2.42259993683546781539e-05);
INSERT INTO "hippo_step" VALUES(4,1,3,0,'first',10,'{"slope": 1.2398720270953068}',5.98699989495798945426e-05);
INSERT INTO "hippo_step" VALUES(4,3,4,0,'first',10,'{"slope": 0.9909663274832055}',1.15811999421566724777e-04);
INSERT INTO "hippo_step" VALUES(4,3,5,0,'first',10,'{"slope": 0.8174544119019451}',3.01549989671912044286e-05);
INSERT INTO "hippo_step" VALUES(4,3,6,0,'first',10,'{"slope": 0.8712473643283868}',2.55480008490849286317e-05);
INSERT INTO "hippo_step" VALUES(5,1,3,0,'first',11,'{"slope": 1.023953754646024}',6.20819992036558687686e-05);
INSERT INTO "hippo_step" VALUES(5,3,4,0,'first',11,'{"slope": 0.7169376059813548}',4.56479992863023653626e-05);
INSERT INTO "hippo_step" VALUES(5,3,5,0,'first',11,'{"slope": 0.5407415453568005}',2.51579986070282757282e-05);
INSERT INTO "hippo_step" VALUES(5,3,6,0,'first',11,'{"slope": 0.391720678184766}',2.34750004892703145742e-05);
INSERT INTO "hippo_step" VALUES(3,1,4,0,'first',9,'{"slope": 0.5870527445849235}',9.40299996727844700217e-05);
INSERT INTO "hippo_step" VALUES(3,4,5,0,'first',9,'{"slope": 0.6067137076091758}',5.10259997099638e-05);
INSERT INTO "hippo_step" VALUES(3,4,6,0,'first',9,'{"slope": 0.6825786808561444}',2.69600004685344174504e-05);
INSERT INTO "hippo_step" VALUES(4,1,4,0,'first',10,'{"slope": 0.9909663274832055}',9.03449999896111e-05);
INSERT INTO "hippo_step" VALUES(4,4,5,0,'first',10,'{"slope": 0.6688094627794644}',4.75510005344403907656e-05);
INSERT INTO "hippo_step" VALUES(4,4,6,0,'first',10,'{"slope": 0.744899157574278}',2.65999988187104463577e-05);
INSERT INTO "hippo_step" VALUES(5,1,4,0,'first',11,'{"slope": 0.7169376059813548}',8.85220015334198251366e-05);
INSERT INTO "hippo_step" VALUES(5,4,5,0,'first',11,'{"slope": 0.4332009044595973}',5.57530001970008e-05);
INSERT INTO "hippo_step" VALUES(5,4,6,0,'first',11,'{"slope": 0.30031113342214333}',2.73509995167842134833e-05);
INSERT INTO "hippo_step" VALUES(3,1,5,0,'first',9,'{"slope": 0.6067137076091758}',9.50020003074314445257e-05);
INSERT INTO "hippo_step" VALUES(3,5,6,0,'first',9,'{"slope": 0.591571624714768}',4.90130005346145480871e-05);
INSERT INTO "hippo_step" VALUES(4,1,5,0,'first',10,'{"slope": 0.6688094627794644}',8.64590001583565e-05);
INSERT INTO "hippo_step" VALUES(4,5,6,0,'first',10,'{"slope": 0.6445777381573585}',4.71300008939579129219e-05);
INSERT INTO "hippo_step" VALUES(5,1,5,0,'first',11,'{"slope": 0.4332009044595973}',9.63439997576642781496e-05);
INSERT INTO "hippo_step" VALUES(5,5,6,0,'first',11,'{"slope": 0.24288183436809763}',4.81719998788321390748e-05);
INSERT INTO "hippo_step" VALUES(3,6,1,0,'first',9,'{"slope": 2.7900312967625474}',8.56570004543755203485e-05);
INSERT INTO "hippo_step" VALUES(3,6,2,0,'first',9,'{"slope": 1.947715775360734}',3.13569998979801312088e-05);
INSERT INTO "hippo_step" VALUES(3,6,3,0,'first',9,'{"slope": 1.2144798657166056}',2.69499996647937223315e-05);
INSERT INTO "hippo_step" VALUES(3,6,4,0,'first',9,'{"slope": 0.5870527445849232}',4.22729990532388910651e-05);
INSERT INTO "hippo_step" VALUES(3,7,1,0,'first',9,'{"slope": 2.7900312967625474}',1.28051000501727685332e-04);
INSERT INTO "hippo_step" VALUES(3,7,2,0,'first',9,'{"slope": 2.5057220347132434}',3.52520000888034701347e-05);
INSERT INTO "hippo_step" VALUES(3,7,3,0,'first',9,'{"slope": 2.106228654206011}',2.42360001720953732728e-05);
INSERT INTO "hippo_step" VALUES(3,7,4,0,'first',9,'{"slope": 1.6325226273687092}',2.3204000171972438693e-05);
INSERT INTO "hippo_step" VALUES(3,8,1,0,'first',9,'{"slope": 2.7900312967625474}',1.1099499897682107985e-04);
INSERT INTO "hippo_step" VALUES(3,8,2,0,'first',9,'{"slope": 2.2267189050369884}',3.08260005112970247864e-05);
INSERT INTO "hippo_step" VALUES(3,8,3,0,'first',9,'{"slope": 1.632453946993683}',2.46069994318531826138e-05);
INSERT INTO "hippo_step" VALUES(3,8,4,0,'first',9,'{"slope": 1.0428799961782456}',3.97789990529418e-05);
INSERT INTO "hippo_step" VALUES(4,6,1,0,'first',10,'{"slope": 3.052415687658902}',9.21979990380350500345e-05);
INSERT INTO "hippo_step" VALUES(4,6,2,0,'first',10,'{"slope": 2.157956608520416}',5.39510001544840633869e-05);
INSERT INTO "hippo_step" VALUES(4,6,3,0,'first',10,'{"slope": 1.2398720270953068}',2.49380009336164221167e-05);
INSERT INTO "hippo_step" VALUES(4,6,4,0,'first',10,'{"slope": 0.9909663274832052}',2.50480006798170506954e-05);
INSERT INTO "hippo_step" VALUES(4,7,1,0,'first',10,'{"slope": 3.052415687658902}',8.99839997146045789122e-05);
INSERT INTO "hippo_step" VALUES(4,7,2,0,'first',10,'{"slope": 2.7684397460521963}',4.3874999391846358776e-05);
INSERT INTO "hippo_step" VALUES(4,7,3,0,'first',10,'{"slope": 2.2048629992259308}',2.53779999184189364314e-05);
INSERT INTO "hippo_step" VALUES(4,7,4,0,'first',10,'{"slope": 2.1186572291662715}',2.48770011239685118198e-05);
INSERT INTO "hippo_step" VALUES(4,8,1,0,'first',10,'{"slope": 3.052415687658902}',9.23269999475451186299e-05);
INSERT INTO "hippo_step" VALUES(4,8,2,0,'first',10,'{"slope": 2.463198177286306}',3.21379993692971765995e-05);
INSERT INTO "hippo_step" VALUES(4,8,3,0,'first',10,'{"slope": 1.683825769607999}',2.50870016316184774041e-05);
INSERT INTO "hippo_step" VALUES(4,8,4,0,'first',10,'{"slope": 1.481341145549333}',2.36849991779308766126e-05);
INSERT INTO "hippo_step" VALUES(5,6,1,0,'first',11,'{"slope": 1.9163847102518394}',9.41700000112177804112e-05);
INSERT INTO "hippo_step" VALUES(5,6,2,0,'first',11,'{"slope": 1.6931119550395772}',3.004499922099057585e-05);
INSERT INTO "hippo_step" VALUES(5,6,3,0,'first',11,'{"slope": 1.0239537546460238}',2.42660007643280550837e-05);
INSERT INTO "hippo_step" VALUES(5,6,4,0,'first',11,'{"slope": 0.7169376059813546}',2.31050016736844554543e-05);
INSERT INTO "hippo_step" VALUES(5,7,1,0,'first',11,'{"slope": 1.9163847102518394}',8.8101000073947943747e-05);
INSERT INTO "hippo_step" VALUES(5,7,2,0,'first',11,'{"slope": 2.076388897089945}',3.12569991365307942032e-05);
INSERT INTO "hippo_step" VALUES(5,7,3,0,'first',11,'{"slope": 1.7075253934992702}',2.41060006374027580022e-05);
INSERT INTO "hippo_step" VALUES(5,7,4,0,'first',11,'{"slope": 1.5369428318784812}',2.25639996642712503671e-05);
INSERT INTO "hippo_step" VALUES(5,8,1,0,'first',11,'{"slope": 1.9163847102518394}',8.14519989944528788328e-05);
INSERT INTO "hippo_step" VALUES(5,8,2,0,'first',11,'{"slope": 1.8847504260647612}',3.05049998132744804024e-05);
INSERT INTO "hippo_step" VALUES(5,8,3,0,'first',11,'{"slope": 1.3465757269701288}',2.3505001081502996385e-05);
INSERT INTO "hippo_step" VALUES(5,8,4,0,'first',11,'{"slope": 1.0774305593052411}',2.3184000383480452001e-05);
INSERT INTO "hippo_step" VALUES(6,1,1,0,'first',12,'{"slope": 2.1684074606012884}',9.34800009417813271284e-05);
INSERT INTO "hippo_step" VALUES(6,1,2,0,'first',12,'{"slope": 1.8679250176159752}',1.85065999176003970205e-04);
INSERT INTO "hippo_step" VALUES(6,1,2,1,'check',12,'{}',4.0975699994305614382e-04);
INSERT INTO "hippo_step" VALUES(6,1,1,1,'check',12,'{}',4.0975699994305614382e-04);
INSERT INTO "hippo_step" VALUES(6,2,3,0,'first',12,'{"slope": 1.34201546402799}',4.50970001111272722482e-05);
INSERT INTO "hippo_step" VALUES(6,2,4,0,'first',12,'{"slope": 0.6407135808954549}',2.56980001722695305943e-05);
INSERT INTO "hippo_step" VALUES(6,2,5,0,'first',12,'{"slope": 1.0027943257728258}',2.29140005103545263409e-05);
INSERT INTO "hippo_step" VALUES(6,2,6,0,'first',12,'{"slope": 0.5853755636581198}',2.32839993259403854608e-05);
INSERT INTO "hippo_step" VALUES(6,2,6,1,'check',12,'{}',3.28992000504513271152e-04);
INSERT INTO "hippo_step" VALUES(7,1,1,0,'first',13,'{"slope": 1.8204734693921991}',2.66611350016319192945e-02);
INSERT INTO "hippo_step" VALUES(7,1,2,0,'first',13,'{"slope": 1.0129464744554326}',5.34499995410442352294e-05);
INSERT INTO "hippo_step" VALUES(7,1,2,1,'check',13,'{}',4.13877000028151087462e-04);
INSERT INTO "hippo_step" VALUES(7,1,1,1,'check',13,'{}',4.13877000028151087462e-04);
INSERT INTO "hippo_step" VALUES(7,2,3,0,'first',13,'{"slope": 0.6506759985261135}',4.49769995611859485507e-05);
INSERT INTO "hippo_step" VALUES(7,2,4,0,'first',13,'{"slope": 0.7401767771860555}',2.47870011662598699331e-05);
INSERT INTO "hippo_step" VALUES(7,2,5,0,'first',13,'{"slope": 1.0691183361208285}',1.83414000275661237537e-04);
INSERT INTO "hippo_step" VALUES(7,2,6,0,'first',13,'{"slope": 0.49019393919559034}',3.50320005964022129774e-05);
INSERT INTO "hippo_step" VALUES(7,2,6,1,'check',13,'{}',5.08499999341438524425e-04);
INSERT INTO "hippo_step" VALUES(7,3,1,0,'first',13,'{"slope": 1.8204734693921991}',9.325900100520811975e-05);
INSERT INTO "hippo_step" VALUES(7,3,2,0,'first',13,'{"slope": 1.0129464744554326}',5.61040014872560277581e-05);
INSERT INTO "hippo_step" VALUES(7,3,3,0,'first',13,'{"slope": 0.6506759985261135}',2.59989992628106847405e-05);
INSERT INTO "hippo_step" VALUES(7,4,4,0,'first',13,'{"slope": 0.6596654366446015}',5.15369993081549182534e-05);
INSERT INTO "hippo_step" VALUES(7,4,5,0,'first',13,'{"slope": 0.9861571463087493}',2.58279997069621458649e-05);
INSERT INTO "hippo_step" VALUES(7,4,6,0,'first',13,'{"slope": 0.43202449565438983}',2.35359984799288213253e-05);
INSERT INTO "hippo_step" VALUES(6,3,1,0,'first',12,'{"slope": 2.1684074606012884}',9.62730009632650762796e-05);
INSERT INTO "hippo_step" VALUES(6,3,2,0,'first',12,'{"slope": 1.8679250176159752}',3.0975999834481626749e-05);
INSERT INTO "hippo_step" VALUES(6,3,3,0,'first',12,'{"slope": 1.34201546402799}',2.46670006163185462355e-05);
INSERT INTO "hippo_step" VALUES(6,4,4,0,'first',12,'{"slope": 0.5107605324678837}',4.55080007668584585189e-05);
INSERT INTO "hippo_step" VALUES(6,4,5,0,'first',12,'{"slope": 0.8579323944083574}',2.39750006585381925106e-05);
INSERT INTO "hippo_step" VALUES(6,4,6,0,'first',12,'{"slope": 0.46224292199832184}',2.33249993470963090658e-05);
INSERT INTO "hippo_step" VALUES(7,5,1,0,'first',13,'{"slope": 1.8204734693921991}',9.27389992284588515758e-05);
INSERT INTO "hippo_step" VALUES(7,5,2,0,'first',13,'{"slope": 1.0129464744554326}',3.16170007863547652959e-05);
INSERT INTO "hippo_step" VALUES(7,5,3,0,'first',13,'{"slope": 0.6506759985261135}',2.43459999182960018515e-05);
INSERT INTO "hippo_step" VALUES(7,5,4,0,'first',13,'{"slope": 0.6596654366446015}',2.41260004258947446942e-05);
INSERT INTO "hippo_step" VALUES(7,6,5,0,'first',13,'{"slope": 0.9043369582843224}',4.45860005129361525177e-05);
INSERT INTO "hippo_step" VALUES(7,6,6,0,'first',13,'{"slope": 0.3479171524822031}',2.40059998759534209966e-05);
INSERT INTO "hippo_step" VALUES(6,5,1,0,'first',12,'{"slope": 2.1684074606012884}',1.1962799908360466361e-04);
INSERT INTO "hippo_step" VALUES(6,5,2,0,'first',12,'{"slope": 1.8679250176159752}',3.68050004908582195639e-05);
INSERT INTO "hippo_step" VALUES(6,5,3,0,'first',12,'{"slope": 1.34201546402799}',2.87729999399743974208e-05);
INSERT INTO "hippo_step" VALUES(6,5,4,0,'first',12,'{"slope": 0.5107605324678837}',4.61390009149909e-05);
INSERT INTO "hippo_step" VALUES(6,6,5,0,'first',12,'{"slope": 0.7873892275148278}',5.005499951948877424e-05);
INSERT INTO "hippo_step" VALUES(6,6,6,0,'first',12,'{"slope": 0.40228123013882156}',2.51069996011210605502e-05);
INSERT INTO "hippo_step" VALUES(7,7,1,0,'first',13,'{"slope": 1.8204734693921991}',9.56820003921166e-05);
INSERT INTO "hippo_step" VALUES(7,7,2,0,'first',13,'{"slope": 1.0129464744554326}',3.13870004902128130197e-05);
INSERT INTO "hippo_step" VALUES(7,7,3,0,'first',13,'{"slope": 0.6506759985261135}',2.42360001720953732728e-05);
INSERT INTO "hippo_step" VALUES(7,7,4,0,'first',13,'{"slope": 0.6596654366446015}',2.31440008064964786171e-05);
INSERT INTO "hippo_step" VALUES(7,7,5,0,'first',13,'{"slope": 0.9043369582843224}',2.31949998124036937952e-05);
INSERT INTO "hippo_step" VALUES(7,8,6,0,'first',13,'{"slope": 0.25716356257647643}',4.51870000688359141349e-05);
INSERT INTO "hippo_step" VALUES(6,7,1,0,'first',12,'{"slope": 2.1684074606012884}',9.91880006040446460247e-05);
INSERT INTO "hippo_step" VALUES(6,7,2,0,'first',12,'{"slope": 1.8679250176159752}',3.26690005749696865677e-05);
INSERT INTO "hippo_step" VALUES(6,7,3,0,'first',12,'{"slope": 1.34201546402799}',2.55380000453442335128e-05);
INSERT INTO "hippo_step" VALUES(6,7,4,0,'first',12,'{"slope": 0.5107605324678837}',2.37759995798114687204e-05);
INSERT INTO "hippo_step" VALUES(6,7,5,0,'first',12,'{"slope": 0.7873892275148278}',2.24029990931740030646e-05);
INSERT INTO "hippo_step" VALUES(6,8,6,0,'first',12,'{"slope": 0.2841728460115974}',4.64100012322887778282e-05);
INSERT INTO "hippo_step" VALUES(7,9,1,0,'first',13,'{"slope": 1.8204734693921991}',1.18977000965969637036e-04);
INSERT INTO "hippo_step" VALUES(7,9,2,0,'first',13,'{"slope": 1.0129464744554326}',5.25390005350345745682e-05);
INSERT INTO "hippo_step" VALUES(7,10,3,0,'first',13,'{"slope": 0.6506759985261135}',5.6444001529598608613e-05);
INSERT INTO "hippo_step" VALUES(7,10,4,0,'first',13,'{"slope": 0.8045858496192188}',3.55640004272572696208e-05);
INSERT INTO "hippo_step" VALUES(7,10,5,0,'first',13,'{"slope": 1.2220253407422799}',3.37799992848886176943e-05);
INSERT INTO "hippo_step" VALUES(7,10,6,0,'first',13,'{"slope": 0.7296420188318229}',2.96339985652593895792e-05);
INSERT INTO "hippo_step" VALUES(7,11,1,0,'first',13,'{"slope": 1.8204734693921991}',1.15462000394472852349e-04);
INSERT INTO "hippo_step" VALUES(7,11,2,0,'first',13,'{"slope": 1.0129464744554326}',3.89179986086674034595e-05);
INSERT INTO "hippo_step" VALUES(7,11,3,0,'first',13,'{"slope": 0.6506759985261135}',3.0626000807387754321e-05);
INSERT INTO "hippo_step" VALUES(7,11,4,0,'first',13,'{"slope": 0.6596654366446015}',2.9664000976481474936e-05);
INSERT INTO "hippo_step" VALUES(7,12,5,0,'first',13,'{"slope": 0.9043369582843224}',4.95940003020223230123e-05);
INSERT INTO "hippo_step" VALUES(7,12,6,0,'first',13,'{"slope": 0.4205200244067845}',3.1226001738104969263e-05);
INSERT INTO "hippo_step" VALUES(7,13,1,0,'first',13,'{"slope": 1.8204734693921991}',1.19067999548860825598e-04);
INSERT INTO "hippo_step" VALUES(7,13,2,0,'first',13,'{"slope": 1.0129464744554326}',4.64290005766088142991e-05);
INSERT INTO "hippo_step" VALUES(7,13,3,0,'first',13,'{"slope": 0.6506759985261135}',3.2928999644354917109e-05);
INSERT INTO "hippo_step" VALUES(7,13,4,0,'first',13,'{"slope": 0.6596654366446015}',3.17770009132800623774e-05);
INSERT INTO "hippo_step" VALUES(7,13,5,0,'first',13,'{"slope": 0.9043369582843224}',3.09360002574976533651e-05);
INSERT INTO "hippo_step" VALUES(7,13,6,0,'first',13,'{"slope": 0.25716356257647643}',3.04559998767217621207e-05);
INSERT INTO "hippo_step" VALUES(6,9,1,0,'first',12,'{"slope": 2.1684074606012884}',1.35822001539054326713e-04);
INSERT INTO "hippo_step" VALUES(6,9,2,0,'first',12,'{"slope": 1.8679250176159752}',6.07410001975949853658e-05);
INSERT INTO "hippo_step" VALUES(6,10,3,0,'first',12,'{"slope": 1.34201546402799}',6.27439985692035406827e-05);
INSERT INTO "hippo_step" VALUES(6,10,4,0,'first',12,'{"slope": 0.7770542221796604}',3.44710006174864247441e-05);
INSERT INTO "hippo_step" VALUES(6,10,5,0,'first',12,'{"slope": 1.2119303775259596}',3.21780007652705535292e-05);
INSERT INTO "hippo_step" VALUES(6,10,6,0,'first',12,'{"slope": 0.9085728529513986}',3.33700008923187851905e-05);
INSERT INTO "hippo_step" VALUES(6,11,1,0,'first',12,'{"slope": 2.1684074606012884}',1.16975001219543628394e-04);
INSERT INTO "hippo_step" VALUES(6,11,2,0,'first',12,'{"slope": 1.8679250176159752}',4.62389998574508354067e-05);
INSERT INTO "hippo_step" VALUES(6,11,3,0,'first',12,'{"slope": 1.34201546402799}',3.24390002788277342915e-05);
INSERT INTO "hippo_step" VALUES(6,11,4,0,'first',12,'{"slope": 0.5107605324678837}',3.09160004690056666731e-05);
INSERT INTO "hippo_step" VALUES(6,12,5,0,'first',12,'{"slope": 0.7873892275148278}',5.28690015926258638501e-05);
INSERT INTO "hippo_step" VALUES(6,12,6,0,'first',12,'{"slope": 0.49676793744060094}',3.01349991786992177367e-05);
INSERT INTO "hippo_step" VALUES(6,13,1,0,'first',12,'{"slope": 2.1684074606012884}',9.19169997359858825802e-05);
INSERT INTO "hippo_step" VALUES(6,13,2,0,'first',12,'{"slope": 1.8679250176159752}',3.14369990519480779767e-05);
INSERT INTO "hippo_step" VALUES(6,13,3,0,'first',12,'{"slope": 1.34201546402799}',4.11719993280712515115e-05);
INSERT INTO "hippo_step" VALUES(6,13,4,0,'first',12,'{"slope": 0.5107605324678837}',2.29440011025872081518e-05);
INSERT INTO "hippo_step" VALUES(6,13,5,0,'first',12,'{"slope": 0.7873892275148278}',2.22429989662487059831e-05);
INSERT INTO "hippo_step" VALUES(6,13,6,0,'first',12,'{"slope": 0.2841728460115974}',2.29340002988465130329e-05);
INSERT INTO "hippo_step" VALUES(8,1,1,0,'first',14,'{"slope": 2.1684074606012884}',1.22542998724384233355e-04);
INSERT INTO "hippo_step" VALUES(8,1,2,0,'first',14,'{"slope": 1.8679250176159752}',0.000271846000032383);
INSERT INTO "hippo_step" VALUES(8,1,2,1,'check',14,'{}',6.94926999130984768271e-04);
INSERT INTO "hippo_step" VALUES(8,1,1,1,'check',14,'{}',6.94926999130984768271e-04);
INSERT INTO "hippo_step" VALUES(8,1,3,0,'first',14,'{"slope": 1.3420154640279898}',4.76309996884083375334e-05);
INSERT INTO "hippo_step" VALUES(8,1,3,1,'check',14,'{}',4.84422000226913951337e-04);
INSERT INTO "hippo_step" VALUES(9,1,1,0,'first',15,'{"slope": 1.8204734693921991}',8.76610010891454294323e-05);
INSERT INTO "hippo_step" VALUES(9,1,2,0,'first',15,'{"slope": 1.0129464744554324}',1.90224000107264146208e-04);
INSERT INTO "hippo_step" VALUES(9,1,2,1,'check',15,'{}',4.32630501563835423439e-04);
INSERT INTO "hippo_step" VALUES(9,1,1,1,'check',15,'{}',4.32630501563835423439e-04);
INSERT INTO "hippo_step" VALUES(9,1,3,0,'first',15,'{"slope": 0.6506759985261132}',2.94940000458154827356e-05);
INSERT INTO "hippo_step" VALUES(9,1,3,1,'check',15,'{}',2.98105000183568336069e-04);
INSERT INTO "hippo_step" VALUES(8,2,1,0,'first',14,'{"slope": 2.1684074606012884}',9.79459982772823423147e-05);
INSERT INTO "hippo_step" VALUES(8,2,2,0,'first',14,'{"slope": 2.301606509736233}',3.46619999618269503116e-05);
INSERT INTO "hippo_step" VALUES(8,2,3,0,'first',14,'{"slope": 2.028646979470856}',2.55679988185875117778e-05);
INSERT INTO "hippo_step" VALUES(9,2,1,0,'first',15,'{"slope": 1.8204734693921991}',9.35699990805005654692e-05);
INSERT INTO "hippo_step" VALUES(9,2,2,0,'first',15,'{"slope": 1.3770411683338724}',3.805599953921046108e-05);
INSERT INTO "hippo_step" VALUES(9,2,3,0,'first',15,'{"slope": 1.180950517907796}',2.60790002357680350542e-05);
INSERT INTO "hippo_step" VALUES(8,3,1,0,'first',14,'{"slope": 2.1684074606012884}',1.00929999462096020579e-04);
INSERT INTO "hippo_step" VALUES(9,3,1,0,'first',15,'{"slope": 1.8204734693921991}',9.85370006674202159047e-05);
INSERT INTO "hippo_step" VALUES(2,2,1,1,'not kept',19,'{"slope": 1.8204734693921991}',9.26079992495942860841e-05);
INSERT INTO "hippo_step" VALUES(2,2,2,1,'not kept',19,'{"slope": 1.3770411683338724}',7.98989985923981294035e-05);
INSERT INTO "hippo_step" VALUES(2,2,3,0,'first',19,'{"slope": 1.180950517907796}',4.9074000344262458384e-05);
INSERT INTO "hippo_step" VALUES(2,1,1,2,'evicted',19,'{"slope": 1.8204734693921991}',8.04899991635466e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,2,'evicted',19,'{"slope": 1.0129464744554324}',2.82220007647993043065e-05);
INSERT INTO "hippo_step" VALUES(2,1,3,0,'first',19,'{"slope": 0.6506759985261132}',2.42759997490793466567e-05);
INSERT INTO "hippo_step" VALUES(10,1,1,0,'first',20,'{"slope": 2.4312602861125443}',9.54829993133898824453e-05);
INSERT INTO "hippo_step" VALUES(10,1,2,0,'first',20,'{"slope": 1.7388022736157291}',1.4896200082148425281e-04);
INSERT INTO "hippo_step" VALUES(10,1,2,1,'check',20,'{}',4.38344499343656934797e-04);
INSERT INTO "hippo_step" VALUES(10,1,1,1,'check',20,'{}',4.38344499343656934797e-04);
INSERT INTO "hippo_step" VALUES(10,1,3,0,'first',20,'{"slope": 0.9041005220283093}',2.01159999051014892756e-04);
INSERT INTO "hippo_step" VALUES(10,1,3,1,'check',20,'{}',5.07786999150994233787e-04);
INSERT INTO "hippo_step" VALUES(10,2,1,0,'first',20,'{"slope": 2.4312602861125443}',9.79669985099462792277e-05);
INSERT INTO "hippo_step" VALUES(10,2,2,0,'first',20,'{"slope": 2.2250543308382382}',3.15569996018894e-05);
INSERT INTO "hippo_step" VALUES(10,2,3,0,'first',20,'{"slope": 1.5593042028278457}',2.49770000664284452795e-05);
INSERT INTO "hippo_step" VALUES(10,3,1,0,'first',20,'{"slope": 2.4312602861125443}',8.94940003490774e-05);
INSERT INTO "hippo_step" VALUES(10,3,2,0,'first',20,'{"slope": 1.9819283022269838}',7.73650008341064676642e-05);
INSERT INTO "hippo_step" VALUES(10,3,3,0,'first',20,'{"slope": 1.1422979468550178}',2.63790007011266425251e-05);
INSERT INTO "hippo_step" VALUES(11,1,1,0,'first',21,'{"slope": 2.1684074606012884}',9.42710012168390676379e-05);
INSERT INTO "hippo_step" VALUES(11,1,2,0,'first',21,'{"slope": 1.8679250176159752}',7.88979996286798268556e-05);
INSERT INTO "hippo_step" VALUES(11,1,2,1,'check',21,'{}',3.93778000216116197407e-04);
INSERT INTO "hippo_step" VALUES(11,1,1,1,'check',21,'{}',3.93778000216116197407e-04);
INSERT INTO "hippo_step" VALUES(11,1,3,0,'first',21,'{"slope": 1.3420154640279898}',2.78920015261974185705e-05);
INSERT INTO "hippo_step" VALUES(11,1,3,1,'check',21,'{}',2.81689997791545465588e-04);
INSERT INTO "hippo_step" VALUES(11,2,1,0,'first',21,'{"slope": 2.1684074606012884}',9.25580006878590211272e-05);
INSERT INTO "hippo_step" VALUES(11,2,2,0,'first',21,'{"slope": 2.301606509736233}',8.07810010883258655667e-05);
INSERT INTO "hippo_step" VALUES(11,2,3,0,'first',21,'{"slope": 2.028646979470856}',2.67399991571437567472e-05);
INSERT INTO "hippo_step" VALUES(11,3,1,0,'first',21,'{"slope": 2.1684074606012884}',1.00800998552585951983e-04);
INSERT INTO "hippo_step" VALUES(11,3,2,0,'first',21,'{"slope": 2.0847657636761037}',3.0365999919013120234e-05);
INSERT INTO "hippo_step" VALUES(11,3,3,0,'first',21,'{"slope": 1.6658477387955193}',2.54379992838948965072e-05);
INSERT INTO "hippo_step" VALUES(12,1,1,0,'first',23,'{"slope": 1.8204734693921991}',8.96229994395980611443e-05);
INSERT INTO "hippo_step" VALUES(12,1,2,0,'first',23,'{"slope": 1.0129464744554324}',3.07659993268316611647e-05);
INSERT INTO "hippo_step" VALUES(12,1,2,1,'check',23,'{}',3.13467499836406204849e-04);
INSERT INTO "hippo_step" VALUES(12,1,1,1,'check',23,'{}',3.13467499836406204849e-04);
INSERT INTO "hippo_step" VALUES(12,1,3,0,'first',23,'{"slope": 0.6506759985261132}',2.6489999072509817779e-05);
INSERT INTO "hippo_step" VALUES(12,1,3,1,'check',23,'{}',2.74410000201896764338e-04);
INSERT INTO "hippo_step" VALUES(12,2,1,0,'first',23,'{"slope": 1.8204734693921991}',9.05750002857530489563e-05);
INSERT INTO "hippo_step" VALUES(12,2,2,0,'first',23,'{"slope": 1.3770411683338724}',9.82669989753048866987e-05);
INSERT INTO "hippo_step" VALUES(12,2,3,0,'first',23,'{"slope": 1.180950517907796}',2.91329997708089649677e-05);
INSERT INTO "hippo_step" VALUES(12,3,1,0,'first',23,'{"slope": 1.8204734693921991}',8.11609988886630162596e-05);
INSERT INTO "hippo_step" VALUES(12,3,2,0,'first',23,'{"slope": 1.1949938213946525}',2.79109990515280514955e-05);
INSERT INTO "hippo_step" VALUES(12,3,3,0,'first',23,'{"slope": 0.8976085235230326}',2.45269984588958323001e-05);
CREATE TABLE hippo_study (
	study BIGINT NOT NULL, 
	name TEXT NOT NULL, 
	generation BIGINT NOT NULL, 
	"plan" BIGINT NOT NULL, 
	settings TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	PRIMARY KEY (study)
);
INSERT INTO "hippo_study" VALUES(1,'changed',1,1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530614703081393239e+09,0);
INSERT INTO "hippo_study" VALUES(2,'changed seeds (seed 0)',1,1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7953061477186622619e+09,0);
INSERT INTO "hippo_study" VALUES(3,'changed seeds (seed 1)',1,2,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530614793366217617e+09,0);
INSERT INTO "hippo_study" VALUES(4,'gone',1,1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530614850672650337e+09,1);
INSERT INTO "hippo_study" VALUES(5,'gone seeds (seed 0)',1,1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530614912133908277e+09,1);
INSERT INTO "hippo_study" VALUES(6,'plain',1,1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530614988368272776e+09,0);
INSERT INTO "hippo_study" VALUES(7,'averaged (seed 0)',1,1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615148793578151e+09,0);
INSERT INTO "hippo_study" VALUES(8,'averaged (seed 1)',1,2,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615167644858358e+09,0);
INSERT INTO "hippo_study" VALUES(9,'median (seed 10)',1,3,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615343347406389e+09,0);
INSERT INTO "hippo_study" VALUES(10,'median (seed 9)',1,4,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615357000470156e+09,0);
INSERT INTO "hippo_study" VALUES(11,'median (seed 2)',1,5,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615372378087044e+09,0);
INSERT INTO "hippo_study" VALUES(12,'private (seed 0)',1,6,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": false}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615580109310152e+09,0);
INSERT INTO "hippo_study" VALUES(13,'private (seed 1)',1,7,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": false}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615602038478846e+09,0);
INSERT INTO "hippo_study" VALUES(14,'failing (seed 0)',1,8,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {"raise_at": 1, "raise_if": {"lr": 0.2}, "raise_in": "train"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7953061578345091343e+09,0);
INSERT INTO "hippo_study" VALUES(15,'failing (seed 1)',1,9,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {"raise_at": 1, "raise_if": {"lr": 0.2}, "raise_in": "train"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1795306158.02107,0);
INSERT INTO "hippo_study" VALUES(16,'broken (seed 0)',1,1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615902108764653e+09,0);
INSERT INTO "hippo_study" VALUES(17,'broken (seed 1)',1,2,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530615915868401529e+09,0);
INSERT INTO "hippo_study" VALUES(18,'loop (seed 0)',1,1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7953061606218323708e+09,0);
INSERT INTO "hippo_study" VALUES(19,'loop (seed 1)',1,2,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530616107285022732e+09,0);
INSERT INTO "hippo_study" VALUES(20,'alone (seed 5)',1,10,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530616147455453872e+09,0);
INSERT INTO "hippo_study" VALUES(21,'changed',2,11,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530616200519371034e+09,0);
INSERT INTO "hippo_study" VALUES(22,'changed seeds (seed 0)',2,11,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530616248671364785e+09,0);
INSERT INTO "hippo_study" VALUES(23,'changed seeds (seed 1)',2,12,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"checkpoint_every_s\": 300.0, \"constraints\": [], \"hparams\": null, \"keep\": \"best\", \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true}", "trainer": {"arguments": {}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79530616266841650009e+09,0);
CREATE TABLE hippo_trial (
	study BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	call BIGINT NOT NULL, 
	config TEXT NOT NULL, 
	occurrence BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	until BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	loss FLOAT, 
	error TEXT NOT NULL, 
	PRIMARY KEY (study, number)
);
INSERT INTO "hippo_trial" VALUES(1,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(1,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(1,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(2,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(2,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(2,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(3,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',3.46702726700412355853e-01,'');
INSERT INTO "hippo_trial" VALUES(3,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',8.40791501404191121693e-01,'');
INSERT INTO "hippo_trial" VALUES(3,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',5.48236506016316904599e-01,'');
INSERT INTO "hippo_trial" VALUES(4,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(4,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(4,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(5,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(5,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(5,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(6,0,0,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,5,8,8,'COMPLETE',5.36679917211631773987e-01,'');
INSERT INTO "hippo_trial" VALUES(6,1,0,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(6,2,0,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(6,3,1,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,6,3,3,'COMPLETE',5.3663966915495964205e-01,'');
INSERT INTO "hippo_trial" VALUES(6,4,2,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,4,4,'COMPLETE',2.23213293678280799703e-01,'');
INSERT INTO "hippo_trial" VALUES(6,5,2,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,4,4,'COMPLETE',1.39502269722085259218e+00,'');
INSERT INTO "hippo_trial" VALUES(6,6,2,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',5.75038785924799844551e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',2.97294671509526035879e-02,'');
INSERT INTO "hippo_trial" VALUES(8,0,0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,4,4,4,'COMPLETE',1.47709626774003947857e-02,'');
INSERT INTO "hippo_trial" VALUES(7,1,0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,8,2,2,'PRUNED',2.83731800532720547514e-02,'');
INSERT INTO "hippo_trial" VALUES(8,1,0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,5,2,2,'PRUNED',5.84779541630101734606e-02,'');
INSERT INTO "hippo_trial" VALUES(7,2,0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,9,2,2,'PRUNED',8.11459959902893629424e-02,'');
INSERT INTO "hippo_trial" VALUES(8,2,0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,6,2,2,'PRUNED',8.36383398944945816166e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,10,4,4,'COMPLETE',3.75809936623116500054e-02,'');
INSERT INTO "hippo_trial" VALUES(8,3,0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',2.52980538100900827214e-02,'');
INSERT INTO "hippo_trial" VALUES(7,4,0,'{"lr": {"arguments": {"value": 0.4}, "sequence": "Constant"}}',0,11,2,2,'PRUNED',4.14370506144176198315e-01,'');
INSERT INTO "hippo_trial" VALUES(8,4,0,'{"lr": {"arguments": {"value": 0.4}, "sequence": "Constant"}}',0,8,2,2,'PRUNED',2.14043241468818923323e-01,'');
INSERT INTO "hippo_trial" VALUES(7,5,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'PRUNED',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(8,5,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'PRUNED',3.46702726700412355853e-01,'');
INSERT INTO "hippo_trial" VALUES(7,6,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',5.75038785924799844551e-01,'');
INSERT INTO "hippo_trial" VALUES(8,6,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',2.57630818854511778326e-01,'');
INSERT INTO "hippo_trial" VALUES(7,7,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'PRUNED',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(8,7,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'PRUNED',8.40791501404191121693e-01,'');
INSERT INTO "hippo_trial" VALUES(7,8,1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,5,8,8,'COMPLETE',5.36679917211631773987e-01,'');
INSERT INTO "hippo_trial" VALUES(7,9,1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(7,10,1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(8,8,1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,8,8,'COMPLETE',2.49982710010650699405e-01,'');
INSERT INTO "hippo_trial" VALUES(8,9,1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,9,2,2,'PRUNED',3.46702726700412466875e-01,'');
INSERT INTO "hippo_trial" VALUES(8,10,1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,9,2,2,'PRUNED',3.46702726700412466875e-01,'');
INSERT INTO "hippo_trial" VALUES(7,11,2,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,6,3,3,'COMPLETE',5.3663966915495964205e-01,'');
INSERT INTO "hippo_trial" VALUES(8,11,2,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,11,3,3,'COMPLETE',2.88935521222246749495e-01,'');
INSERT INTO "hippo_trial" VALUES(9,0,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',1.33690055788047601481e-01,'');
INSERT INTO "hippo_trial" VALUES(10,0,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',2.66189359571479211563e-01,'');
INSERT INTO "hippo_trial" VALUES(11,0,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',1.63811975665471093455e-01,'');
INSERT INTO "hippo_trial" VALUES(9,1,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',0.0938679365487936,'');
INSERT INTO "hippo_trial" VALUES(10,1,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',1.84298607178509932236e-01,'');
INSERT INTO "hippo_trial" VALUES(11,1,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',1.21094118427294880624e-01,'');
INSERT INTO "hippo_trial" VALUES(9,2,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',0.0700027185796051,'');
INSERT INTO "hippo_trial" VALUES(10,2,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',1.24971060851245693856e-01,'');
INSERT INTO "hippo_trial" VALUES(11,2,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',9.4582694223057164895e-02,'');
INSERT INTO "hippo_trial" VALUES(9,3,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',5.08988176774122780265e-02,'');
INSERT INTO "hippo_trial" VALUES(10,3,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',8.98643498335482404648e-02,'');
INSERT INTO "hippo_trial" VALUES(11,3,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',7.76072621137675194846e-02,'');
INSERT INTO "hippo_trial" VALUES(9,4,1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',1.30757502192459296175e-01,'');
INSERT INTO "hippo_trial" VALUES(9,5,1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',9.44504798190313743511e-01,'');
INSERT INTO "hippo_trial" VALUES(9,6,1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',3.67052738339105733e-01,'');
INSERT INTO "hippo_trial" VALUES(10,4,1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',2.3358475248968940674e-01,'');
INSERT INTO "hippo_trial" VALUES(10,5,1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',1.72886414607099814233e+00,'');
INSERT INTO "hippo_trial" VALUES(10,6,1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',0.674444448271187,'');
INSERT INTO "hippo_trial" VALUES(11,4,1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',1.38764190642373469453e-01,'');
INSERT INTO "hippo_trial" VALUES(11,5,1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',7.88327548346733797401e-01,'');
INSERT INTO "hippo_trial" VALUES(11,6,1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',3.37744321898001131909e-01,'');
INSERT INTO "hippo_trial" VALUES(12,0,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',2.26667199277784642275e-01,'');
INSERT INTO "hippo_trial" VALUES(13,0,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',9.64900945672641507933e-02,'');
INSERT INTO "hippo_trial" VALUES(12,1,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',1.49944231051947735045e-01,'');
INSERT INTO "hippo_trial" VALUES(13,1,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',7.42565240515961205725e-02,'');
INSERT INTO "hippo_trial" VALUES(12,2,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,6,6,6,'COMPLETE',1.19647556551142481007e-01,'');
INSERT INTO "hippo_trial" VALUES(13,2,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,6,6,6,'COMPLETE',5.16188940089207931594e-02,'');
INSERT INTO "hippo_trial" VALUES(12,3,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,8,6,6,'COMPLETE',7.5508605687154936592e-02,'');
INSERT INTO "hippo_trial" VALUES(13,3,0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,8,6,6,'COMPLETE',2.66668449025996082135e-02,'');
INSERT INTO "hippo_trial" VALUES(12,4,1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,6,6,'COMPLETE',6.07989359678965168853e-01,'');
INSERT INTO "hippo_trial" VALUES(12,5,1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,12,6,6,'COMPLETE',1.98057541203323250744e-01,'');
INSERT INTO "hippo_trial" VALUES(12,6,1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,13,6,6,'COMPLETE',6.04907179549777213045e-02,'');
INSERT INTO "hippo_trial" VALUES(13,4,1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,6,6,'COMPLETE',0.273178385410801,'');
INSERT INTO "hippo_trial" VALUES(13,5,1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,12,6,6,'COMPLETE',9.68561733671514379917e-02,'');
INSERT INTO "hippo_trial" VALUES(13,6,1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,13,6,6,'COMPLETE',2.07266119897596343135e-02,'');
INSERT INTO "hippo_trial" VALUES(14,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(14,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(14,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,0,'FAIL',NULL,'train() at step 2: ValueError: told to raise in train after 1 steps');
INSERT INTO "hippo_trial" VALUES(15,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(15,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(15,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,0,'FAIL',NULL,'train() at step 2: ValueError: told to raise in train after 1 steps');
INSERT INTO "hippo_trial" VALUES(16,0,0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,7,4,4,'PAUSED',2.97294671509526035879e-02,'');
INSERT INTO "hippo_trial" VALUES(17,0,0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,4,4,4,'PAUSED',1.47709626774003947857e-02,'');
INSERT INTO "hippo_trial" VALUES(16,1,0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,8,2,2,'PAUSED',2.83731800532720547514e-02,'');
INSERT INTO "hippo_trial" VALUES(17,1,0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,5,2,2,'PAUSED',5.84779541630101734606e-02,'');
INSERT INTO "hippo_trial" VALUES(16,2,0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,9,2,2,'PAUSED',8.11459959902893629424e-02,'');
INSERT INTO "hippo_trial" VALUES(17,2,0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,6,2,2,'PAUSED',8.36383398944945816166e-02,'');
INSERT INTO "hippo_trial" VALUES(16,3,0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,10,2,2,'PAUSED',1.98702824463176247471e-01,'');
INSERT INTO "hippo_trial" VALUES(17,3,0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,7,2,2,'PAUSED',1.31486903251190723196e-01,'');
INSERT INTO "hippo_trial" VALUES(18,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(18,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(18,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(19,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(19,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(19,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',3.90969371771953733141e-01,'');
INSERT INTO "hippo_trial" VALUES(20,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.53827371313222671656e-01,'');
INSERT INTO "hippo_trial" VALUES(20,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.51430391728925428651e+00,'');
INSERT INTO "hippo_trial" VALUES(20,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',7.62230500362588214713e-01,'');
INSERT INTO "hippo_trial" VALUES(21,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(21,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(21,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(22,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(22,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(22,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(23,0,0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(23,1,0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(23,2,0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',3.90969371771953733141e-01,'');
COMMIT;
