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
INSERT INTO "hippo_call" VALUES(5,0,0,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(5,1,1,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',2.2417170112021267414e-03);
INSERT INTO "hippo_call" VALUES(5,2,2,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',2.67931100097484886646e-03);
INSERT INTO "hippo_call" VALUES(6,0,0,'{"tuner": "streaming"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(6,1,1,'{"extra_steps": 0, "max_steps": 8, "min_steps": 2, "num_trials": null, "reduction": 2, "seed": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "SuccessiveHalving"}','complete',5.43447094969451427459e-03);
INSERT INTO "hippo_call" VALUES(6,2,2,'{"evaluate": {"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}, "until": 3}','complete',7.00738499290309846401e-03);
INSERT INTO "hippo_call" VALUES(7,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(7,1,1,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 4}','complete',1.46587599738268181681e-02);
INSERT INTO "hippo_call" VALUES(8,0,0,'{"tuner": "Querying"}','complete',0.0);
INSERT INTO "hippo_call" VALUES(8,1,1,'{"extra_steps": 0, "space": {"configs": "59ee226142dc0ce4f9e3845f75a4ce26e2420362cdd1986e370ac211d4b32499"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 6}','complete',9.76032001199200749397e-03);
INSERT INTO "hippo_call" VALUES(9,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(10,0,0,'{"tuner": "streaming"}','failed',0.0);
INSERT INTO "hippo_call" VALUES(11,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(12,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(13,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(14,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
INSERT INTO "hippo_call" VALUES(15,0,0,'{"extra_steps": 0, "space": {"configs": "f914d90b8ab92f78b9730c4ebcdc2e3439c378917dfb29b7d193a48bce4c9a99"}, "speculate": false, "ties": "first", "tuner": "GridSearch", "until": 3}','complete',0.0);
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
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e1-l1-n1-s2',1,2,149,'f8a3f93a37c00e88ce9aec8021cfca7b48e9800e6de18848e520ba66bc1e4258','81608b9055b377a465c56b4e992e972e2d460886e8656929c66c2db1d5ae499b',1.57022004714235663414e-04,1,'missing');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e1-l2-n2-s2',2,2,149,'f5c0c59a40e0c68372aadea1f6a8914801dfcb09382788fc2da454967255602a','56494864e705081ac8e52b7d9cda6912f8e44e0a20470dbcf7a747e3f346d3ae',1.37595998239703476428e-04,1,'missing');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e1-l3-n3-s2',3,2,149,'18e4031bbd125a23dc462e3824fd05edd1b174b47a798126961cfd8b8bc0f25e','336a68a104565d6c827edcb36bb68e36d434ab881fe9ebf6ea384ea37d19f149',1.08052001451142132282e-04,1,'missing');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e1-l4-n1-s2',1,2,149,'438c402d0bfa393946654e6ae8021c06e083ed1ed346ae4561ec85dc029b3441','3bec757eb724b8f7f5c9bcce718cb8d6412c447b5daedf17153e0344cea75e95',1.45151003380306065082e-04,2,'missing');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e1-l5-n2-s2',2,2,149,'5aa09398887e502bb9e088dc66d59c24481a542e3e0a1bb558fa33fcc6c56493','c6facb0d31f577a89d05a61149d5f127268e9847f7e57b83e6160f72a01dfe2e',1.43388009746558964252e-04,2,'missing');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e1-l6-n3-s2',3,2,149,'eddcd18c2d414cd22d6f58911b0b86a0f36f02644a7e5efb02e3d1cfda6f056a','b76d724ab1021ddbca984077b42f2ef47e9f6afd0f4185c5034400861eb27251',1.00186996860429644584e-04,2,'missing');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e5-l4-n4-s2',4,2,149,'3429f02cc3ab8a50e477b3409ddf8f55c7990bb760a98e83806b25bfc4ffb5c0','ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0',0.000166090001584962,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e5-l5-n5-s4',5,4,149,'d532e0d17d17d206f7a49296f728e60c8f9f730faabbc3efa20eaa5655f21a4e','c6c5ed2db70247d111ed0a2d562895870fd6587cde669889fc0de7c1e0f7108c',1.29462001495994627475e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e5-l6-n5-s8',5,8,149,'d6b319d943050f0887f7bd9bc06d45c70a5e6808ea145236b1d48cea2a59e734','7ccf99507720545ab465d548971ed34b76068852a4df47d63779e8878eaeffe5',1.07740997918881475925e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e6-l7-n6-s3',6,3,149,'8f1c0d51b813bc77b1665379d5e38695fe05d7e60cfdf351fa8e831d13969398','8f87b52ea89e85a609579d42e1d1d059185fdbff14b82529aecc291ade59c2dc',1.64074997883290052413e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e7-l9-n1-s4',1,4,149,'8d436d2080b0cf5beb378056a72adbaff16066702b0e23b3e5a5061b9129d4e5','40bfd8acb39008f8fc629cef63fe26a3bf4bb9a39eff8bc1657b8beb0a372b4f',1.37466005980968475341e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e7-l11-n2-s4',2,4,149,'7f03d053377a241e35b26875ecb65bcd5f68318033b52526a00b892683323d69','55e209a12f3927e87c36304dbf60b8650447db6b8cd0cac7e6b98259c2eac41f',1.29191001178696751594e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e7-l13-n3-s4',3,4,149,'65b7e2765092a116f09ebf7470eea9feb6fa3b3bb1a51dd3bbb2c05ae94272e6','f857fccbf78e7b2393676545b71bfc4967635ed92015c3452ebf650feadaa122',1.17218995001167058944e-04,5,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e2-l14-n4-s2',4,2,149,'ae9eea2e452f180ca9abef74916a7868480466192782a92023b4cdca74a7462d','f89007e3e104f22f3cb4f135c5798ae243cd19a35b647752c69c8a3d6b79e68b',2.07586999749764800071e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e8-l15-n7-s2',7,2,149,'562fb6ddfce12d3014856db82bfb0321550e64aae037171eeb7166ba65e572e0','c24331926e9a3fa6b70a88044be9e146aad54426bf2a568a5dbd40c787364b79',1.76800007466226816177e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e2-l16-n4-s4',4,4,149,'fb25d107b07e80dcffdb9a97eded53401819c19496bc9bd99e0f002b2d77b39d','3f6c1e6a76ab985747271cc33e4b7047def94b02fec9ad7cb90d514f36c3356d',1.19401986012235283851e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e8-l17-n7-s4',7,4,149,'993f3cf3d2857ff2e4b311821bd0f76f973003398171ee7e9d6a49bf968dd520','7b360b708c96252fa1ce14c47cc443d2013082d5fdd761922bab9e7f7a37c99f',1.80426999577321112155e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e2-l18-n5-s2',5,2,149,'e0196cd0a4e59d6b4dd5a559152edb6aec54da31b7f822726d66304703392313','b24a71e32f50cf1c7153914a93700c3aec4af0fa151806f6280e9c487f3778b3',1.34870992042124271392e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e8-l19-n8-s2',8,2,149,'e07a8dbba1e3d0b98e5ad707ac30a2aa5c160671d3c9ae6692e7363b9e46a47c','5d088ba1ca5e0e8559a355fb19e4696ab5388762e77325dea1dbc23b37e9974f',1.42324992339126765727e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e2-l20-n6-s2',6,2,149,'f65d25ee100ca3696b8f694837563f3345121e769384facb009f3ac0b4d479c6','16e61b832fa0c2e7e967e965da8fe80437fd30e40848142105640840645f14ba',1.30262997117824852466e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e8-l21-n9-s2',9,2,149,'49837bf358b41670df0f3d5d5058e47291ca77f70a9f334c1997d18ee5b64613','44d6ace46f7d7ba1c67ab9ecbcb01161a070b5244f417c89f2eb477ad9fcd302',1.00807999842800199985e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e2-l22-n7-s2',7,2,149,'b669d48e586a99a4a7e8b3a97f9e8a079baf8e6db7baecadd59b555dcbb753d8','c9a1608d29b793a344f5412c2412446b3f6b59aadb303e91655824ac14164f6b',9.72109992289915680885e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e8-l23-n10-s2',10,2,149,'970b5684cf27744174538996444422be675cd3fdd64a0c2a5880186c0f5a112c','6dd45e138dbd40b70e1974e4f00bff0d96be4806206edf6a67c31de4c546a3ac',9.31429967749863862991e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e2-l24-n7-s4',7,4,149,'80f16f81dcad91ab530319929e719d0c2d53ad4fd7ca245efa16e0afb78cfcf5','e920267c6ccfbfb537924d8e605a0c608a16a07c084522ed3281c21512016f43',9.24920022953301668167e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e8-l25-n10-s4',10,4,149,'c2627cbf29277c4f94bea5902f9aa7f8fa2976e67cf26ba34f4b9db046cd59e3','5b9fd77ba6e56062d329fe4c6e76843db24c6244b33d48414dfec89b74a3ad91',8.84549954207614e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e2-l26-n8-s2',8,2,149,'673deec29c0f02b6e5c4eb9386c141d8cc50a8286d553c2ba6391ec316d99d6c','4e585ae47a3fbb6d0cab636a69168908a1b8ce45e0bc23c33efba573c2937823',9.16110002435743808746e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(1,'178d1ac1593c4158ba5edda9035b656d/p1/e8-l27-n11-s2',11,2,149,'3e7b17961ec647db728b713ce56d8336ce0967649d30f1f8eeb298d3291ca50c','b8811bcff2c2822f57ff29afe6837f119bd85147e416556e9c9ee07232b4838d',8.84450128069147467613e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e2-l29-n3-s4',3,4,149,'f0484799e1ee799b15d8df72c53e07113f8ac702a83b3cae0c431c4cd5749f80','fe6cd1c6e056bc3c5b53e524f6b93437daacbf827e569775f540b85ddfaa3bed',1.00367004051804542541e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e3-l30-n9-s2',9,2,149,'23fd29b74ce166943eb73c62b044b44bbe7fb2fe415f7e3243ad4c0c7243ae28','e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8',1.23530000564642250537e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e3-l31-n10-s4',10,4,149,'a3baa19c2e77755dc40d055d015f5f546f6fa0de42a4171a7bc991cd29617ee4','eb4956d93320110551e2cfda932fb7909b23e07f5c88499926cef3735443574b',1.00247008958831429481e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e3-l32-n10-s8',10,8,149,'5090b6b3566d4e17d9b1ac71d8f3fec9d42a4a4de47ee13f63b38c1de9c363f1','1e706ac9bf5a65263776d8ea55f9d099985e9d4aa62e2281f74f1fb135e32ecd',9.41260077524930238723e-05,6,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e4-l33-n11-s3',11,3,149,'bac8bb6640c4f69d6f0c06cdc4a8954374ecc1e8f46adbc516810ff01b922c71','43e94f03ee38d51e6f61df5a1523034a23aaff3162e79f59fed4a0a0ddfa1f2b',1.17809002404101192951e-04,6,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e1-l1-n1-s2',1,2,149,'5c99327d4e379d51f71ab587107e3147aa5f488bc6bbf265a5a64da20a444955','3d39ed117309851de4116e9162c7b29470c348b1598bd86d000512d95d358bf5',1.29041000036522746086e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e1-l1-n2-s6',2,6,149,'ac46f0c30070c6405a59a64ac0eec2a24e8419f9589d676b09e5917451079ba6','106d8f7dc165040ea7a9eba188a1a49527a4192c7a5c3956d1a0c421894ed413',9.95659938780590891838e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e1-l2-n1-s2',1,2,149,'6343a3b45846caf367d6a52f8ef4a0ce20f454966040c946bbb3142886d8e956','b84cfad7812a3c5335cfeaf8157470e8c94da25ce39643dab68088659b8f1c07',1.22748999274335801601e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e1-l2-n2-s6',2,6,149,'835d45531265dc41a35a455ab7415937e1d40daba626167934d52e5868e8b5a2','0a5835ad9be5026cb24c0eeaff96d4ada0f7e082c8af8a8a0d77d8b6ff62e933',9.31629911065101623535e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e1-l3-n1-s2',1,2,149,'7fc7c769e508cd5dc4d65af9ab3a9436a67a2b833b5bbea24363584454f885e7','b85e094b37ff205bc91eae32b959aa1ba3f3ebe41bf74b8de31dcdb33cfe85f0',1.20785000035539269447e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e1-l3-n2-s6',2,6,149,'4680cfc08a48f4b70d9fb42bf934a89a3dcbd7b910d79328ff263ee2b33b1090','8d4f756e901a086d9fca67c480a92504e36cbda5b422ed361ad16c600a777692',1.01540004834532737731e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e1-l4-n3-s6',3,6,149,'3ffcd3ddc0aafd874ac6b2e8c17e6460f03935e40a9311da76d5e8b85f004d87','d7cfb89d7bbda5db56f733ee273efffc29a6ad8caaffaacca5b9f7af2416e67e',1.03233003756031394004e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e1-l5-n3-s6',3,6,149,'b217e3fb8f9223d26340e9aa6afa0862b0a2cfcfd3f7927275356c5b396be057','202f806acc7426064f84bb24911dadd6ba3da8af9a9698372b1008a40ee1a07e',9.62799967965111136436e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e1-l6-n3-s6',3,6,149,'2b63d32080a4ae3b67577630edfa1827891fda814d38d7a12585252dc030d0a0','f7a8815999beee21d9d27cb6a179cf73dbc6cb74f53f09900a957f2aac0764f6',9.28239896893501281738e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e1-l7-n1-s4',1,4,149,'14fcd6fadcbe7e12e63b2d4c0ac4ae15816864225d6ad68ee3765003b9c776d0','7d07a3e631e5ae1e87488ec07cb45356e09f4322f26461518244aaedfe479c98',9.82830097200349e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e1-l7-n4-s6',4,6,149,'5a28bbae1f03ad442c0954626d5fb40b238d89c0dd0c0877e4f23345bdc9604f','cdb1ff3cf884afa1cff95e0bf9e9f0642a4296574b48da5a8dbeb9824736f590',8.22529982542619109153e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e1-l8-n4-s6',4,6,149,'dc86787f06e2c9b97df599324d052cf7f7d2adf5682f7c3c24f9078fc099ac59','3057041505e33f095b3ea8ef0b064d91d656a0afc7a4ce1a76bab241723b259a',9.01890016393736e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e1-l9-n4-s6',4,6,149,'b631d1e3073fb2639dc571fdd7e68bc246692f6d2bbe74e2f05e18bee83cb2ba','be536ccee8f6b9ae75ff1196844acfe7dfa9ad539d6c3b0fd9abe38dcf711176',9.36449941946193575859e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e1-l10-n1-s5',1,5,149,'836e89ca8c347929a5d4e55898f6efa4271ead10535327dc8c0eaf247315e8ba','baf52bf43b40c23d50ac507d16d2af1a03cc4a7046113fb9d1aa493a698697f0',9.49969980865717e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e1-l10-n5-s6',5,6,149,'5db10a32cb2b62e95b90765520d57962ea85814006a4186442d84fc1a27b97d8','9b806778137175035b67b0f3b4ab694bbfe535c36a4cb07e0fac525757efdef3',7.96389940660446882247e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e1-l11-n1-s5',1,5,149,'679b14012ce35b1635c47f3cb6de62596f47080533d006c4e445972444a97c0c','0735fe4163f7aa5e706eeb7c62f592aa607bdca5a78a6c2360bf87f2f6d4a67d',1.01197991170920431613e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e1-l11-n5-s6',5,6,149,'fc4f2558241bfda61764d009530002f837844c1c0b2c2f868fc5e1b840eadcd2','3137f7d9837d0f7499f7d7b991a881e04dd804082834032cdc7141716c2a8790',7.91670026956126093864e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e1-l12-n5-s6',5,6,149,'636eb5c821ee921afca1793fb3adf30fe77fb7a3b1062aa59db81dd58fe0163e','a8e2cf64d5f4d0d71dfc134bf1c80dbe87740e97ce8e38acef18701867925949',8.86749912751838564872e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e2-l13-n6-s4',6,4,149,'ba20dff6a7064e30b90e2c0f767122766af701c7f0b9cd8ca9391bd17f449d14','9ff213c9244c06c86a6dd7ffff4a45fce142fa1d75b145be1e1e72701924c52e',1.39108989969827234745e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e2-l14-n7-s4',7,4,149,'bc5e44ec9cc3d3fb2173e26b3309a24bdfa0af22c3f0a2eec005b6c5ecd6fc68','93c595d68e8e37395e4f4db70f929ce5117bb5824fdb94c6e423d50b9678a714',1.12249006633646786212e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(5,'178d1ac1593c4158ba5edda9035b656d/p5/e2-l15-n8-s4',8,4,149,'203e7e97e8bede982bf128a0ecd60054d1bc8e08007955a1a2dd6d42179cad15','f327eb8a3d24395a98424014c9d202acca9fb96ebb8130b88df4931287c5124a',1.07630999991670250892e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e2-l16-n6-s4',6,4,149,'85a98d5fab9338b029b183fe136493fa309232f33be901680c44344f7c786194','907ab37828da271c886d2544ec2c1cd4c3bdba5694dabe8c716991dc6ff6ad76',1.08111998997628688812e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e2-l17-n7-s4',7,4,149,'3f4f64ca996f8ca0e6fe345f567f4f6825ae637acd3421da64ce861162bf7153','cee33f2e9b6ea3e218156f001f1b739229d949080c03a1ed9799cf97e43a2b2f',1.10847002360969781875e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(3,'178d1ac1593c4158ba5edda9035b656d/p3/e2-l18-n8-s4',8,4,149,'230f1d2f0f4bf0d69b2c3d5fc281642e5d479e1756cdbe9061d07b773c98827f','e52d097cf4d6c80a5108e7bb530ca5fa7f5fe910068dd308a7cca9148559fe3a',1.62983997142873704433e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e2-l19-n6-s4',6,4,149,'d2e1ff26b963a3ac8cda3db9037b69bd09a68e54e2003f88728deaa7ccba1553','5936f8f892bda8c37d8ba8e05666d9db2d7127b172937a44501e8d78b2219070',1.49870000313967466354e-04,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e2-l20-n7-s4',7,4,149,'dd06cec806947d419a13447c88363e430f793e3d4ab725db4a4b8f1dc7b3b9d1','c34510328c6961cd8599c121751da78e526329f5e1c76ba1c3e5c154f58476c7',9.68799868132919073104e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(4,'178d1ac1593c4158ba5edda9035b656d/p4/e2-l21-n8-s4',8,4,149,'585976031d48a5779b95a073dc682b9fbaf753d67dc70d4cb18bc27f1128268b','eb244d2f83d1df153486bcedda8686e1a293513ab919dfb0bdb4f6d05081bc88',9.34540003072470426559e-05,7,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e1-l1-n1-s2',1,2,149,'3429f02cc3ab8a50e477b3409ddf8f55c7990bb760a98e83806b25bfc4ffb5c0','ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0',1.34690999402664601802e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e1-l1-n2-s6',2,6,149,'dcd49db1653830076be015b6305884e284230e1c583e1ba922157136629ec107','b9c59c55c1fe0d3b17d09723229a3d23d418e2ac950f050ea6f03d1fec0410c2',1.00777993793599307537e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e1-l2-n1-s2',1,2,149,'23fd29b74ce166943eb73c62b044b44bbe7fb2fe415f7e3243ad4c0c7243ae28','e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8',1.26305996673181653022e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e1-l2-n2-s6',2,6,149,'0fc4af6a64a57122f0c4969e7c7a139f52d372a8fb342eab6ee6e5fdc5006cf6','60daac999ac77fe06e6d1e1ac5d96bb03cd0f40959636f4a55bf2db0901e4358',9.5739000244066119194e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e1-l3-n3-s3',3,3,149,'22dd6ad774cedbf317fcca268e0591b0b1e34fbe575a009d43d38031239211b0','0fcb948aead3fda09fe443b148b569ae1ec390e158e87ccd5168e86b1f4015cb',1.62914002430625259876e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e1-l3-n4-s6',4,6,149,'373cd7fb374a043b8bf5f8b6a3901bedfaffa94ef84185f25951adca92aad1e8','d7bd2605606570415dd8629f1c080da1643e5fa9086e7ff71c446a4e2461cca8',9.27630026126280426979e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e1-l4-n3-s3',3,3,149,'e4d8295e4bbe9b25f46ea25f8a3b0c0092fd217a11905e558efd120b5b115c62','0fd2c7011dd20de0816990efd9cf1de67ec5fd116c6903cf827010ee904b7e08',9.30829992284998297691e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e1-l4-n4-s6',4,6,149,'943d0b1697a7d5ff32af9e4daa2197949c3826e551671c7955cac57ebee065ca','388a2c86da97c10344907323be57be5b491208f614d4bdfd4bbf443fb1806a31',8.44080059323459863662e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e1-l5-n5-s4',5,4,149,'13289fea411b673d42be36708db990441968ca788028e4ad94bb5b22e265e64d','a7db5c1729f4260b4c35968eb98e004c28281c79d4834942e92f50af1e9badfd',9.20909951673820614814e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e1-l5-n6-s6',6,6,149,'4ab79339845470baa83775547d11500f97fc55983c1742483ec076c7f0f307cd','c075d5dd50caba1ef5d6786cc6f0394f1b822a87110a5dd8397191b91290550c',7.996900239959359169e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e1-l6-n5-s4',5,4,149,'f6a33daed63637e582ab95f722589c1f0823c5296a2a00fc886ed7bc25c25aac','0d8fb9a8e721ceff92d8d70dfff789f30310b29f9cd6173ba34cf1f7adedf8a8',8.82049935171380639076e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e1-l6-n6-s6',6,6,149,'86c72b6a9646e279532bf8ce134305e85f52d13134e89fa358dd54c776a34c1a','42beacd6bbc9a7b03bab4e513a7f895cd82902e32b4499079782cfaa430f2722',7.4990006396546959877e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e1-l7-n7-s5',7,5,149,'bdcba31ef712033c0c67d464c53a617eddf456eaf5dff91f6c0650073ba0edf6','0680ec494bd71511e37dacf4b06249796c01c5589c76d051eacb524f0ad309a7',8.88650101842358708381e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e1-l7-n8-s6',8,6,149,'f395b3ef12f00ee877b9054eba18520af91c9c1419abc6597c90585defdea3c5','75e2559ebb8db4b0d3625153b373727731938ea5f49e247bdcce22fee9f244bf',7.59709946578368544578e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e1-l8-n7-s5',7,5,149,'a53b59f256258535de28a511306597d69e34623a0b5c59bac6ec41c3b1830859','f822aafecd7ad221a5060c2f1a15f4d4eefd514591ffb070c685bafd8656d57d',8.75130062922835350036e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e1-l8-n8-s6',8,6,149,'0b8fff1c83f51a9baead38da4ac6e381ef16112ae2adf8576797af7a32dfa483','183c3ef6e4615b644a7a2f0f588fbe0758900341be72435f1c898583e975a853',7.63529969844967126846e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e2-l9-n10-s6',10,6,149,'00e3340c34144cadbe72e7d3a0518f1f079ed2bf6872d39277cd569fa02ef8d6','f76ed637dee1f1f8dff51df4599ae88b756e9cc8fe686085a514383a22bf7d33',1.42144999699667096138e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e2-l10-n12-s6',12,6,149,'9bc08c7353892fd45924dd89dd30e2ee1d2d69dd69ff4ba44a32a81a7773cec5','6bedde26aacbc1b956a8b73e9b59af07b3e2711ae1386670aba6c88df5315038',1.16055991384200751781e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(6,'178d1ac1593c4158ba5edda9035b656d/p6/e2-l11-n13-s6',13,6,149,'42f2244fb586dbbaebc4f9d0c6a06861cfe40384cb7a8ded43b277ef05626771','b16b8bdf9fa5b2066862ce627f84cbd910d2eeb67d1764ab276bdd5a408624dc',1.10665991087444126605e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e2-l12-n10-s6',10,6,149,'69ff3127693c685a6f3c8298075ad4a875af786880df63ee28e11a5c481616f2','5abc37a6a7fb36c40f1eec424d522c1cf9a8d5f27a3e9272885815d84150f1d9',1.37005001306533813476e-04,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e2-l13-n12-s6',12,6,149,'464a1c8b86c7b4e002f84829272e5fceb1277df3a41b4e09b2f6a0ad8e1b57c7','934c3ca92fb3ac0250536168168aa1968377aced17b48d09d68ca8416adc333d',9.75919974735006690025e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(7,'178d1ac1593c4158ba5edda9035b656d/p7/e2-l14-n13-s6',13,6,149,'4356688607b98e1e18bbf2c4b411b5a5acf3c5fd38e7e803d35c74e1fee45be7','746d4acf4ece4bf504504100b69802f82b04bf9abc8638107cccf0c5d46ad3d8',9.6048999694176018238e-05,8,'');
INSERT INTO "hippo_checkpoint" VALUES(8,'178d1ac1593c4158ba5edda9035b656d/p8/e1-l1-n1-s3',1,3,149,'8144b5b32f65bc9b0ec79d6bad4fe86949f5fbc78f69ef926f3746e3eba67c26','148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73',1.35733003844507038593e-04,9,'');
INSERT INTO "hippo_checkpoint" VALUES(9,'178d1ac1593c4158ba5edda9035b656d/p9/e1-l2-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',1.26996004837565124034e-04,9,'');
INSERT INTO "hippo_checkpoint" VALUES(8,'178d1ac1593c4158ba5edda9035b656d/p8/e1-l3-n2-s3',2,3,149,'053f4c4a96dcbd8520ced90cdb96b74854a2b69650c020fffdc76b94d3ed4b90','822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04',1.17999996291473507881e-04,9,'');
INSERT INTO "hippo_checkpoint" VALUES(9,'178d1ac1593c4158ba5edda9035b656d/p9/e1-l5-n2-s3',2,3,149,'506d2581be65469a096c8ffdc4f2c66cb34920870eeaad7b4bc8d840e624c39a','08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e',0.00011247000657022,9,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e6-l35-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',2.71777011221274733543e-04,12,'');
INSERT INTO "hippo_checkpoint" VALUES(2,'178d1ac1593c4158ba5edda9035b656d/p2/e6-l37-n2-s3',2,3,149,'506d2581be65469a096c8ffdc4f2c66cb34920870eeaad7b4bc8d840e624c39a','08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e',1.74946006154641509056e-04,12,'');
INSERT INTO "hippo_checkpoint" VALUES(10,'178d1ac1593c4158ba5edda9035b656d/p10/e1-l1-n1-s3',1,3,149,'9b132eac82b0db8a9595128857f10e2356b9558523a4b537d163ce030803c1b8','2c89878e8b04ab0e5bc0e673e20cd8f5f44ef39bda139514feb6d56a1575121b',1.93540996406227350234e-04,13,'');
INSERT INTO "hippo_checkpoint" VALUES(10,'178d1ac1593c4158ba5edda9035b656d/p10/e1-l2-n2-s3',2,3,149,'a41546de024354459202ecfe4578173d45836750135acfe5743308efe7489f97','6ce4e3ff5b4c9d028b52b6b581f4769575173cc05a817a1c1fd0fc121b90deb2',1.2340000830590724945e-04,13,'');
INSERT INTO "hippo_checkpoint" VALUES(10,'178d1ac1593c4158ba5edda9035b656d/p10/e1-l3-n3-s3',3,3,149,'560291cfc756cbb5315e3fcad1fdb20c983c3f4069d3607e54529691f073c96b','c2dbb6f980b2195cb51b54f05709c086222934ea165981672026332c87c559ed',1.12199995783157646656e-04,13,'');
INSERT INTO "hippo_checkpoint" VALUES(11,'178d1ac1593c4158ba5edda9035b656d/p11/e1-l1-n1-s3',1,3,149,'8144b5b32f65bc9b0ec79d6bad4fe86949f5fbc78f69ef926f3746e3eba67c26','148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73',1.75587003468535840511e-04,14,'');
INSERT INTO "hippo_checkpoint" VALUES(11,'178d1ac1593c4158ba5edda9035b656d/p11/e1-l2-n2-s3',2,3,149,'053f4c4a96dcbd8520ced90cdb96b74854a2b69650c020fffdc76b94d3ed4b90','822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04',1.68885002494789659976e-04,14,'');
INSERT INTO "hippo_checkpoint" VALUES(11,'178d1ac1593c4158ba5edda9035b656d/p11/e1-l3-n3-s3',3,3,149,'724a8ec83ecc9a5fd4e1e8f1cfcbe4e1540aae27b14c6f0fbcb18cf47055b152','9ad48dec4d8870e0e7d129769c605c17fec579b75df85313be40703f32b43c21',1.57002999912947416305e-04,14,'');
INSERT INTO "hippo_checkpoint" VALUES(12,'178d1ac1593c4158ba5edda9035b656d/p12/e1-l4-n1-s3',1,3,149,'c5e06a77b74f549f18f708d149ceb21d92391ae061ec6f230dd34147aace8e0a','9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f',1.32037006551399827003e-04,15,'');
INSERT INTO "hippo_checkpoint" VALUES(12,'178d1ac1593c4158ba5edda9035b656d/p12/e1-l5-n2-s3',2,3,149,'506d2581be65469a096c8ffdc4f2c66cb34920870eeaad7b4bc8d840e624c39a','08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e',1.20184005936607718467e-04,15,'');
INSERT INTO "hippo_checkpoint" VALUES(12,'178d1ac1593c4158ba5edda9035b656d/p12/e1-l6-n3-s3',3,3,149,'94652333af69d1ae34065f553e78e61d1806fde5170f7785d72c0ac1e28d0e86','15c561d89a19a00232fcd4cd92c8b5b8fe356e6ba39da09b7e92000434897c3e',1.08652006019838154315e-04,15,'');
CREATE TABLE hippo_database (
	uuid VARCHAR(32) NOT NULL, 
	schema_version BIGINT NOT NULL, 
	PRIMARY KEY (uuid)
);
INSERT INTO "hippo_database" VALUES('178d1ac1593c4158ba5edda9035b656d',5);
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
  File "/home/user/hippo/src/hippo/training/walker.py", line 43, in user_code
    yield
  File "/home/user/hippo/src/hippo/training/walker.py", line 137, in train
    returned = self._trainer.train()
               ^^^^^^^^^^^^^^^^^^^^^
  File "/home/user/hippo/src/hippo/testing/trainers.py", line 75, in train
    self._maybe_raise("train")
  File "/home/user/hippo/src/hippo/testing/trainers.py", line 113, in _maybe_raise
    raise ValueError(f"told to raise in {method} after {self.steps} steps")
ValueError: told to raise in train after 1 steps
',0);
INSERT INTO "hippo_failure" VALUES(9,1,3,2,'train','ValueError: told to raise in train after 1 steps','Traceback (most recent call last):
  File "/home/user/hippo/src/hippo/training/walker.py", line 43, in user_code
    yield
  File "/home/user/hippo/src/hippo/training/walker.py", line 137, in train
    returned = self._trainer.train()
               ^^^^^^^^^^^^^^^^^^^^^
  File "/home/user/hippo/src/hippo/testing/trainers.py", line 75, in train
    self._maybe_raise("train")
  File "/home/user/hippo/src/hippo/testing/trainers.py", line 113, in _maybe_raise
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
INSERT INTO "hippo_lease" VALUES(1,1,1,'inline-1','[[1, 0, 2]]',1.79542195342854928974e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,2,1,'inline-1','[[2, 0, 2]]',1.79542195345668816565e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,3,1,'inline-1','[[3, 0, 2]]',1.79542195345910978324e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,4,1,'inline-1','[[1, 0, 2]]',1.79542195356352424617e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,5,1,'inline-1','[[2, 0, 2]]',1.7954219536022248268e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,6,1,'inline-1','[[3, 0, 2]]',1.79542195360432481768e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,4,5,'inline-1','[[4, 0, 2]]',1.79542195386538100247e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,5,5,'inline-1','[[5, 2, 4]]',1.79542195388898730276e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,6,5,'inline-1','[[5, 4, 8]]',1.7954219538923077583e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,7,6,'inline-1','[[6, 0, 3]]',1.79542195390595769877e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,8,7,'inline-1','[[1, 2, 4]]',1.79542195391765475268e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,9,7,'inline-1','[[1, 0, 4]]',1.79542195391890645021e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,10,7,'inline-1','[[2, 2, 4]]',1.7954219539208362103e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,11,7,'inline-1','[[2, 0, 4]]',1.79542195392155861854e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,12,7,'inline-1','[[3, 2, 4]]',1.79542195392341017725e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,13,7,'inline-1','[[3, 0, 4]]',1.79542195392448663713e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,14,2,'inline-1','[[4, 0, 2]]',1795421954.04941,'done');
INSERT INTO "hippo_lease" VALUES(1,15,8,'inline-1','[[7, 0, 2]]',1.79542195408037972455e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,16,2,'inline-1','[[4, 2, 4]]',1.79542195410712313646e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,17,8,'inline-1','[[7, 2, 4]]',1.79542195411000585552e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,18,2,'inline-1','[[5, 0, 2]]',1.79542195411251449582e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,19,8,'inline-1','[[8, 0, 2]]',1.79542195411432266242e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,20,2,'inline-1','[[6, 0, 2]]',1.79542195411654543872e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,21,8,'inline-1','[[9, 0, 2]]',1.79542195411817812923e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,22,2,'inline-1','[[7, 0, 2]]',1.79542195412046456338e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,23,8,'inline-1','[[10, 0, 2]]',1.79542195412208938597e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,24,2,'inline-1','[[7, 2, 4]]',1.79542195412380027772e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,25,8,'inline-1','[[10, 2, 4]]',1.79542195412530827518e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,26,2,'inline-1','[[8, 0, 2]]',1.79542195412722182276e+09,'done');
INSERT INTO "hippo_lease" VALUES(1,27,8,'inline-1','[[11, 0, 2]]',1.79542195412870907783e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,28,2,'inline-1','[[3, 2, 4]]',1.79542195413138866424e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,29,2,'inline-1','[[3, 0, 4]]',1.79542195413219881055e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,30,3,'inline-1','[[9, 0, 2]]',1.79542195415073943141e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,31,3,'inline-1','[[10, 2, 4]]',1.7954219541540870666e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,32,3,'inline-1','[[10, 4, 8]]',1.79542195415662193293e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,33,4,'inline-1','[[11, 0, 3]]',1.79542195416540980345e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,1,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79542195431872940065e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,2,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79542195434739565852e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,3,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79542195437180471424e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,4,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79542195440116190909e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,5,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.79542195440331459046e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,6,1,'inline-1','[[1, 2, 3], [3, 3, 6]]',1.7954219544054071903e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,7,1,'inline-1','[[1, 2, 4], [4, 4, 6]]',1.79542195440820050245e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,8,1,'inline-1','[[1, 2, 4], [4, 4, 6]]',1.79542195441033601761e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,9,1,'inline-1','[[1, 2, 4], [4, 4, 6]]',1.79542195441204214092e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,10,1,'inline-1','[[1, 2, 5], [5, 5, 6]]',1.79542195441607236854e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,11,1,'inline-1','[[1, 2, 5], [5, 5, 6]]',1.79542195441803383829e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,12,1,'inline-1','[[1, 4, 5], [5, 5, 6]]',1.79542195441996669767e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,13,2,'inline-1','[[6, 0, 4]]',1.79542195443967556953e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,14,2,'inline-1','[[7, 0, 4]]',1.79542195444207787514e+09,'done');
INSERT INTO "hippo_lease" VALUES(5,15,2,'inline-1','[[8, 0, 4]]',1.79542195444396781916e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,16,2,'inline-1','[[6, 0, 4]]',1.79542195444575071331e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,17,2,'inline-1','[[7, 0, 4]]',1.79542195444751453395e+09,'done');
INSERT INTO "hippo_lease" VALUES(3,18,2,'inline-1','[[8, 0, 4]]',1.79542195444921422005e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,19,2,'inline-1','[[6, 0, 4]]',1.79542195445138621327e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,20,2,'inline-1','[[7, 0, 4]]',1.79542195445345735549e+09,'done');
INSERT INTO "hippo_lease" VALUES(4,21,2,'inline-1','[[8, 0, 4]]',1.79542195445587754246e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,1,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.7954219545745022297e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,2,1,'inline-1','[[1, 0, 2], [2, 2, 6]]',1.79542195460131120683e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,3,1,'inline-1','[[3, 0, 3], [4, 3, 6]]',1.79542195462644720081e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,4,1,'inline-1','[[3, 0, 3], [4, 3, 6]]',1.79542195462891626353e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,5,1,'inline-1','[[5, 0, 4], [6, 4, 6]]',1.79542195463182735438e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,6,1,'inline-1','[[5, 0, 4], [6, 4, 6]]',1.7954219546341440677e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,7,1,'inline-1','[[7, 0, 5], [8, 5, 6]]',1.79542195463685226447e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,8,1,'inline-1','[[7, 0, 5], [8, 5, 6]]',1.79542195463901567463e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,9,2,'inline-1','[[9, 0, 2], [10, 2, 6]]',1.79542195465623354911e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,10,2,'inline-1','[[11, 0, 4], [12, 4, 6]]',1.79542195465868449208e+09,'done');
INSERT INTO "hippo_lease" VALUES(6,11,2,'inline-1','[[13, 0, 6]]',1.7954219546610109806e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,12,2,'inline-1','[[9, 0, 2], [10, 2, 6]]',1.79542195466293358807e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,13,2,'inline-1','[[11, 0, 4], [12, 4, 6]]',1.79542195466520881647e+09,'done');
INSERT INTO "hippo_lease" VALUES(7,14,2,'inline-1','[[13, 0, 6]]',1.79542195466708898545e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,1,1,'inline-1','[[1, 0, 3]]',1.79542195477773761751e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,2,1,'inline-1','[[1, 0, 3]]',1.79542195480487179752e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,3,1,'inline-1','[[2, 0, 3]]',1.79542195482923674582e+09,'done');
INSERT INTO "hippo_lease" VALUES(8,4,1,'inline-1','[[3, 0, 3]]',1.79542195483106613155e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,5,1,'inline-1','[[2, 0, 3]]',1.79542195483329820632e+09,'done');
INSERT INTO "hippo_lease" VALUES(9,6,1,'inline-1','[[3, 0, 3]]',1.79542195483494806292e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,34,6,'inline-1','[[1, 2, 3]]',1.79542195522176837923e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,35,6,'inline-1','[[1, 0, 3]]',1.79542195524591755863e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,36,6,'inline-1','[[2, 2, 3]]',1.79542195525046038625e+09,'done');
INSERT INTO "hippo_lease" VALUES(2,37,6,'inline-1','[[2, 0, 3]]',1.79542195525154781336e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,1,1,'inline-1','[[1, 0, 3]]',1.79542195535582256322e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,2,1,'inline-1','[[2, 0, 3]]',1.79542195538304781912e+09,'done');
INSERT INTO "hippo_lease" VALUES(10,3,1,'inline-1','[[3, 0, 3]]',1.79542195538525438305e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,1,1,'inline-1','[[1, 0, 3]]',1.79542195549086165424e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,2,1,'inline-1','[[2, 0, 3]]',1.79542195553118109699e+09,'done');
INSERT INTO "hippo_lease" VALUES(11,3,1,'inline-1','[[3, 0, 3]]',1.79542195553368425365e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,4,1,'inline-1','[[1, 0, 3]]',1.79542195568257355688e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,5,1,'inline-1','[[2, 0, 3]]',1.79542195570948743816e+09,'done');
INSERT INTO "hippo_lease" VALUES(12,6,1,'inline-1','[[3, 0, 3]]',1.79542195571148824684e+09,'done');
CREATE TABLE hippo_metrics (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	metrics TEXT NOT NULL, 
	seconds FLOAT NOT NULL, 
	study BIGINT NOT NULL, 
	PRIMARY KEY ("plan", node, step)
);
INSERT INTO "hippo_metrics" VALUES(1,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.78810039162635803222e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',2.32429883908480405807e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',2.87239963654428720474e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',2.1200001356191933155e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',2.86340073216706514358e-05,1);
INSERT INTO "hippo_metrics" VALUES(1,3,2,'{"loss": 1.3059238627827707, "luck": 0.8990734568859705}',2.31529993470758199691e-05,1);
INSERT INTO "hippo_metrics" VALUES(2,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',2.47560092248022556304e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',2.05079995794221758842e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',3.3111995435319840908e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',2.37839994952082633972e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',2.64390109805390238761e-05,2);
INSERT INTO "hippo_metrics" VALUES(2,3,2,'{"loss": 0.5482365060163169, "luck": 0.39900061541324894}',1.86749966815114021301e-05,2);
INSERT INTO "hippo_metrics" VALUES(1,4,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.91040050797164440155e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,4,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.92160077858716249465e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,3,'{"loss": 0.7181172581813783, "luck": 0.5606985584456248}',2.16199987335130572319e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,4,'{"loss": 0.6857764130519207, "luck": 0.7656478768603969}',1.92260049516335129737e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,5,'{"loss": 0.6409016285686151, "luck": 0.9862810444956115}',2.71309982053935527801e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,6,'{"loss": 0.6079893596789652, "luck": 0.4317209810926973}',1.89449929166585206985e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,7,'{"loss": 0.5730013892842124, "luck": 0.20418096828415755}',1.77630136022344231605e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,5,8,'{"loss": 0.5366799172116318, "luck": 0.9023155911110003}',1.73719890881329774856e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,6,1,'{"loss": 1.8609035862607755, "luck": 0.7351928141853318}',3.63079889211803674697e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,6,2,'{"loss": 1.0107668617036614, "luck": 0.8990734568859705}',2.32829916058108210563e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,6,3,'{"loss": 0.5366396691549596, "luck": 0.5606985584456248}',1.79740018211305141448e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',1.78240006789565086364e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,1,4,'{"loss": 0.2232132936782808, "luck": 0.7656478768603969}',1.79429916897788643836e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',1.78940099431201815605e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,2,4,'{"loss": 1.3950226972208526, "luck": 0.7656478768603969}',1.74430024344474077224e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,3,3,'{"loss": 0.8045146250303803, "luck": 0.5606985584456248}',1.84740056283772e-05,5);
INSERT INTO "hippo_metrics" VALUES(1,3,4,'{"loss": 0.5750387859247998, "luck": 0.7656478768603969}',3.56759992428123950958e-05,5);
INSERT INTO "hippo_metrics" VALUES(2,4,1,'{"loss": 0.04801916044940552, "luck": 0.2919745267583853}',3.79409902961924672126e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,2,'{"loss": 0.047361923738329564, "luck": 0.39900061541324894}',2.73309997282922267913e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,1,'{"loss": 0.21340797938632122, "luck": 0.7351928141853318}',2.98149971058592200279e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,2,'{"loss": 0.013573150172535815, "luck": 0.8990734568859705}',2.371400478295981884e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,3,'{"loss": 0.034040960109071594, "luck": 0.4167216444296241}',3.240999649278819561e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,4,4,'{"loss": 0.014770962677400395, "luck": 0.09989884338800914}',2.96149955829605460166e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,3,'{"loss": 0.012333469083678848, "luck": 0.5606985584456248}',3.17899975925684e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,7,4,'{"loss": 0.029729467150952604, "luck": 0.7656478768603969}',3.88329935958609e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,5,1,'{"loss": 0.09979296485940324, "luck": 0.2919745267583853}',2.91439937427639961242e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,5,2,'{"loss": 0.05847795416301017, "luck": 0.39900061541324894}',2.31430021813139319419e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,8,1,'{"loss": 0.39078486906938203, "luck": 0.7351928141853318}',3.6577999708242714405e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,8,2,'{"loss": 0.028373180053272055, "luck": 0.8990734568859705}',2.18709901673719286918e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,6,1,'{"loss": 0.17969822691367301, "luck": 0.2919745267583853}',4.36919945059344172477e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,6,2,'{"loss": 0.08363833989449458, "luck": 0.39900061541324894}',1.92260049516335129737e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,9,1,'{"loss": 0.6224585436912402, "luck": 0.7351928141853318}',2.67700088443234562873e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,9,2,'{"loss": 0.08114599599028936, "luck": 0.8990734568859705}',3.24900029227137565612e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,1,'{"loss": 0.28773494661221505, "luck": 0.2919745267583853}',3.03670094581320881843e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,2,'{"loss": 0.13148690325119072, "luck": 0.39900061541324894}',2.07779958145692944526e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,10,1,'{"loss": 0.9084290032518965, "luck": 0.7351928141853318}',2.62490066234022378921e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,10,2,'{"loss": 0.19870282446317625, "luck": 0.8990734568859705}',1.86949910130351781845e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,3,'{"loss": 0.07132726937035358, "luck": 0.4167216444296241}',2.50170123763382434844e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,7,4,'{"loss": 0.025298053810090083, "luck": 0.09989884338800914}',2.00170034077018499374e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,10,3,'{"loss": 0.03486108159497854, "luck": 0.5606985584456248}',2.63289985014125704765e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,10,4,'{"loss": 0.03758099366231165, "luck": 0.7656478768603969}',1.83540105354040861129e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,8,1,'{"loss": 0.42390312395502894, "luck": 0.2919745267583853}',2.8562993975356221199e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,8,2,'{"loss": 0.21404324146881892, "luck": 0.39900061541324894}',1.88959966180846095085e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,11,1,'{"loss": 1.24869624775135, "luck": 0.7351928141853318}',2.51869932981207966804e-05,6);
INSERT INTO "hippo_metrics" VALUES(1,11,2,'{"loss": 0.4143705061441762, "luck": 0.8990734568859705}',1.82539952220395207405e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,3,3,'{"loss": 0.39096937177195373, "luck": 0.4167216444296241}',1.78639893420040607452e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,3,4,'{"loss": 0.2576308188545118, "luck": 0.09989884338800914}',1.70220009749755263328e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,9,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',3.18590027745813131332e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,9,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.88650010386481881141e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,3,'{"loss": 0.3318879784610863, "luck": 0.4167216444296241}',2.0868988940492272377e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,4,'{"loss": 0.3131866681610792, "luck": 0.09989884338800914}',2.05079995794221758842e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,5,'{"loss": 0.2881633520944912, "luck": 0.3176475465581071}',2.67499999608844518661e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,6,'{"loss": 0.273178385410801, "luck": 0.6622026177734481}',1.83040101546794176101e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,7,'{"loss": 0.2617358425805778, "luck": 0.8413715553295904}',1.74820015672594308853e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,10,8,'{"loss": 0.2499827100106507, "luck": 0.9038439222916061}',1.85550015885382890701e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,1,'{"loss": 0.6809018730522601, "luck": 0.2919745267583853}',3.32720082951709628105e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,2,'{"loss": 0.43755526669822176, "luck": 0.39900061541324894}',2.25919939111918210983e-05,6);
INSERT INTO "hippo_metrics" VALUES(2,11,3,'{"loss": 0.28893552122224675, "luck": 0.4167216444296241}',2.1450003259815275669e-05,6);
INSERT INTO "hippo_metrics" VALUES(3,1,1,'{"loss": 1.023281603178972, "luck": 0.9867643697774076}',2.4416003725491464138e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,2,'{"loss": 0.4602207998765308, "luck": 0.5376377842125818}',1.9225000869482755661e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,2,3,'{"loss": 0.33177223889750096, "luck": 0.7108321066755476}',1.92959996638819575309e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,2,4,'{"loss": 0.25460404885659077, "luck": 0.4787101630369117}',1.97369954548776149749e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,2,5,'{"loss": 0.18677338222932205, "luck": 0.9374898015314165}',1.82340008905157446861e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,2,6,'{"loss": 0.1336900557880476, "luck": 0.6526788969390104}',1.77530018845573067665e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,1,'{"loss": 1.970967072357297, "luck": 0.3724018416480026}',2.18900095205754041671e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,2,'{"loss": 0.9534386778039253, "luck": 0.663277436170201}',2.45260016527026891708e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,2,3,'{"loss": 0.6964286091016071, "luck": 0.0460468867524525}',1.91449944395571947097e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,2,4,'{"loss": 0.5001916637489414, "luck": 0.7934255168815922}',1.96369946934282779693e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,2,5,'{"loss": 0.37371300278589503, "luck": 0.699707046997647}',1.86249963007867336273e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,2,6,'{"loss": 0.2661893595714792, "luck": 0.9751249376099272}',1.85350072570145130157e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,1,'{"loss": 0.9240582253964627, "luck": 0.04126642983852735}',2.1831001504324376583e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,2,'{"loss": 0.4523393602113332, "luck": 0.27567533336338146}',1.85750104719772934913e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,2,3,'{"loss": 0.33625159218410816, "luck": 0.9730137035323765}',1.98369962163269519805e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,2,4,'{"loss": 0.25798940470739584, "luck": 0.4796653075815468}',1.9867002265527844429e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,2,5,'{"loss": 0.2039368760905871, "luck": 0.7275552730002094}',1.82439980562776327133e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,2,6,'{"loss": 0.1638119756654711, "luck": 0.07836672761871077}',1.77629990503191947937e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,3,'{"loss": 0.2373882363174858, "luck": 0.9730137035323765}',2.56979983532801270484e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,3,4,'{"loss": 0.18417803445836445, "luck": 0.4796653075815468}',1.93470041267573833465e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,3,5,'{"loss": 0.14815408764376153, "luck": 0.7275552730002094}',1.7983998986892402172e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,3,6,'{"loss": 0.12109411842729488, "luck": 0.07836672761871077}',1.93360028788447380065e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,3,'{"loss": 0.22549578895205535, "luck": 0.7108321066755476}',2.62190005742013454437e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,3,4,'{"loss": 0.17451814684159075, "luck": 0.4787101630369117}',1.82539952220395207405e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,3,5,'{"loss": 0.12886224980897057, "luck": 0.9374898015314165}',1.76430039573460817337e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,3,6,'{"loss": 0.0938679365487936, "luck": 0.6526788969390104}',1.7102007404901087284e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,3,'{"loss": 0.481072495635177, "luck": 0.0460468867524525}',2.57779902312904596328e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,3,4,'{"loss": 0.34575426828276773, "luck": 0.7934255168815922}',1.80530041689053177833e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,3,5,'{"loss": 0.2599915364889922, "luck": 0.699707046997647}',1.77740002982318401336e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,3,6,'{"loss": 0.18429860717850993, "luck": 0.9751249376099272}',1.65399978868663311004e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,4,'{"loss": 0.13075750219245938, "luck": 0.4787101630369117}',1.88859994523227214813e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,4,5,'{"loss": 0.0964833399317409, "luck": 0.9374898015314165}',1.89760030480101704597e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,4,6,'{"loss": 0.0700027185796051, "luck": 0.6526788969390104}',1.78830086952075362205e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,4,'{"loss": 0.2335847524896895, "luck": 0.7934255168815922}',1.76730100065469741821e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,4,5,'{"loss": 0.1765815256475426, "luck": 0.699707046997647}',1.83639931492507457733e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,4,6,'{"loss": 0.1249710608512457, "luck": 0.9751249376099272}',1.71229912666603922843e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,4,'{"loss": 0.13876419064237355, "luck": 0.4796653075815468}',2.08590063266456127166e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,4,5,'{"loss": 0.11385252840454314, "luck": 0.7275552730002094}',1.8484992324374616146e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,4,6,'{"loss": 0.09458269422305716, "luck": 0.07836672761871077}',1.80339993676170706748e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,1,5,'{"loss": 0.0923220865508822, "luck": 0.7275552730002094}',1.73320004250854253768e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,5,6,'{"loss": 0.07760726211376752, "luck": 0.07836672761871077}',1.90149876289069652557e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,1,5,'{"loss": 0.12855514028458553, "luck": 0.699707046997647}',1.76620087586343288421e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,5,6,'{"loss": 0.08986434983354824, "luck": 0.9751249376099272}',1.91650033229962e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,1,5,'{"loss": 0.06776995002509556, "luck": 0.9374898015314165}',2.59389926213771104812e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,5,6,'{"loss": 0.05089881767741228, "luck": 0.6526788969390104}',1.80230126716196537017e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,1,'{"loss": 0.9240582253964627, "luck": 0.04126642983852735}',3.43839928973466157913e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,2,'{"loss": 0.4523393602113331, "luck": 0.27567533336338146}',2.29929864872246980667e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,3,'{"loss": 0.23738823631748568, "luck": 0.9730137035323765}',1.79930066224187612533e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,6,4,'{"loss": 0.13876419064237347, "luck": 0.4796653075815468}',1.7341997590847313404e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,7,1,'{"loss": 1.4351092912102374, "luck": 0.04126642983852735}',2.72809993475675582885e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,7,2,'{"loss": 1.1624924511065793, "luck": 0.27567533336338146}',1.82539952220395207405e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,7,3,'{"loss": 0.952202448537066, "luck": 0.9730137035323765}',1.88249978236854076385e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,7,4,'{"loss": 0.7883275483467338, "luck": 0.4796653075815468}',1.75919994944706559181e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,8,1,'{"loss": 1.165169131106709, "luck": 0.04126642983852735}',3.42440034728497266769e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,8,2,'{"loss": 0.7455123476213816, "luck": 0.27567533336338146}',1.79440103238448500633e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,8,3,'{"loss": 0.4923226384257423, "luck": 0.9730137035323765}',1.75119930645450949668e-05,7);
INSERT INTO "hippo_metrics" VALUES(5,8,4,'{"loss": 0.33774432189800113, "luck": 0.4796653075815468}',1.69220002135261893272e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,1,'{"loss": 1.023281603178972, "luck": 0.9867643697774076}',2.58880027104169130325e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,2,'{"loss": 0.4602207998765306, "luck": 0.5376377842125818}',1.84840027941390872001e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,3,'{"loss": 0.22549578895205522, "luck": 0.7108321066755476}',1.75120076164603233337e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,6,4,'{"loss": 0.1307575021924593, "luck": 0.4787101630369117}',1.71920110005885362625e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,7,1,'{"loss": 1.7747010785817487, "luck": 0.9867643697774076}',2.63490073848515748977e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,7,2,'{"loss": 1.412044654388934, "luck": 0.5376377842125818}',1.83539959834888577461e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,7,3,'{"loss": 1.1398894539766977, "luck": 0.7108321066755476}',1.72419968293979763984e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,7,4,'{"loss": 0.9445047981903137, "luck": 0.4787101630369117}',1.67520047398284077644e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,1,'{"loss": 1.3730141019042925, "luck": 0.9867643697774076}',3.93029913539066910743e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,2,'{"loss": 0.8402962959741641, "luck": 0.5376377842125818}',3.39340040227398276329e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,3,'{"loss": 0.5344486289687017, "luck": 0.7108321066755476}',3.51549970218911767005e-05,7);
INSERT INTO "hippo_metrics" VALUES(3,8,4,'{"loss": 0.36705273833910573, "luck": 0.4787101630369117}',3.31920018652454e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,6,1,'{"loss": 1.970967072357297, "luck": 0.3724018416480026}',3.72590002370998263359e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,6,2,'{"loss": 0.9534386778039252, "luck": 0.663277436170201}',2.85830028587952256202e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,6,3,'{"loss": 0.48107249563517696, "luck": 0.0460468867524525}',2.81319953501224517822e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,6,4,'{"loss": 0.2335847524896894, "luck": 0.7934255168815922}',2.79020023299381136894e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,1,'{"loss": 3.2544760285498917, "luck": 0.3724018416480026}',2.63489928329363465309e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,2,'{"loss": 2.6287578931759326, "luck": 0.663277436170201}',1.78329937625676393508e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,3,'{"loss": 2.1391921291570637, "luck": 0.0460468867524525}',1.77630136022344231605e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,7,4,'{"loss": 1.7288641460709981, "luck": 0.7934255168815922}',1.70120038092136383056e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,8,1,'{"loss": 2.572582343877809, "luck": 0.3724018416480026}',2.66000133706256747245e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,8,2,'{"loss": 1.6351811603813753, "luck": 0.663277436170201}',1.79030030267313122749e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,8,3,'{"loss": 1.0602553693461516, "luck": 0.0460468867524525}',1.74120068550109863281e-05,7);
INSERT INTO "hippo_metrics" VALUES(4,8,4,'{"loss": 0.674444448271187, "luck": 0.7934255168815922}',1.65509991347789764404e-05,7);
INSERT INTO "hippo_metrics" VALUES(6,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.34740000450983643531e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,1,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.86550023499876260757e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,3,'{"loss": 0.535595674314262, "luck": 0.5606985584456248}',1.90449936781078577041e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,4,'{"loss": 0.4258531585217873, "luck": 0.7656478768603969}',1.9105005776509642601e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,5,'{"loss": 0.2928514680411841, "luck": 0.9862810444956115}',1.81840005097910761833e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,2,6,'{"loss": 0.22666719927778464, "luck": 0.4317209810926973}',1.71419960679486393928e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,1,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.22609960474073886871e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,1,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.91059953067451715469e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,2,3,'{"loss": 0.27598012407333633, "luck": 0.4167216444296241}',1.87149998964741826057e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,2,4,'{"loss": 0.20352388412440353, "luck": 0.09989884338800914}',1.96260079974308609962e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,2,5,'{"loss": 0.12565753468482305, "luck": 0.3176475465581071}',1.82940129889175295829e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,2,6,'{"loss": 0.09649009456726415, "luck": 0.6622026177734481}',7.26860016584396362304e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,3,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.66300048679113388061e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,3,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.82340008905157446861e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,3,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.73619919223710894584e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,4,4,'{"loss": 0.2805570345611536, "luck": 0.7656478768603969}',2.04579991986975073814e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,4,5,'{"loss": 0.19072433249165222, "luck": 0.9862810444956115}',3.22400010190904140472e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,4,6,'{"loss": 0.14994423105194774, "luck": 0.4317209810926973}',1.87049881787970662117e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,3,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.8132999432273209095e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,3,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.8245002138428390026e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,3,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.75020104506984353065e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,4,4,'{"loss": 0.1582208837218928, "luck": 0.09989884338800914}',4.01449942728504538536e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,4,5,'{"loss": 0.09608929028021532, "luck": 0.3176475465581071}',2.00769864022731781005e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,4,6,'{"loss": 0.07425652405159612, "luck": 0.6622026177734481}',1.68510014191269874572e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',3.71089990949258208274e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.80630013346672058105e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.72830041265115141868e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,5,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.68410042533651e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,6,5,'{"loss": 0.15046631379886832, "luck": 0.9862810444956115}',1.93360028788447380065e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,6,6,'{"loss": 0.11964755655114248, "luck": 0.4317209810926973}',1.82039948413148522377e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,5,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.59980006376281380653e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,5,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.76129979081451892852e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,5,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.69410050148144364356e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,5,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.89659913303330540657e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,6,5,'{"loss": 0.06592576920431341, "luck": 0.3176475465581071}',1.82640069397166371345e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,6,6,'{"loss": 0.05161889400892079, "luck": 0.6622026177734481}',1.73829903360456228256e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.57380015682429075241e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.82939984370023e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',3.37630044668912887573e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.74930028151720762252e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,7,5,'{"loss": 0.09234756894755321, "luck": 0.9862810444956115}',1.67820107890293e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,8,6,'{"loss": 0.07550860568715494, "luck": 0.4317209810926973}',1.86450051842257380485e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.60289962170645594596e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.78340123966336250305e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.70410057762637734413e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.67910038726404309272e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,7,5,'{"loss": 0.03370790002564021, "luck": 0.3176475465581071}',1.65820092661306262016e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,8,6,'{"loss": 0.026666844902599608, "luck": 0.6622026177734481}',1.78629998117685317993e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,9,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.82730034086853265762e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,9,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.88550038728863e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,10,3,'{"loss": 0.7181172581813783, "luck": 0.5606985584456248}',1.8304999684914946556e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,10,4,'{"loss": 0.6857764130519207, "luck": 0.7656478768603969}',1.77729962160810828208e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,10,5,'{"loss": 0.6409016285686151, "luck": 0.9862810444956115}',1.70620041899383068084e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,10,6,'{"loss": 0.6079893596789652, "luck": 0.4317209810926973}',1.76430039573460817337e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,11,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.79919913737103343009e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,11,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.82539952220395207405e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,11,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.85050012078136205673e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,11,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.74219894688576459884e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,12,5,'{"loss": 0.20749363890015063, "luck": 0.9862810444956115}',1.77530018845573067665e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,12,6,'{"loss": 0.19805754120332325, "luck": 0.4317209810926973}',1.71820138348266482353e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.53170001087710261344e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,2,'{"loss": 0.7679914958981896, "luck": 0.8990734568859705}',1.76730100065469741821e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,3,'{"loss": 0.3456382702306573, "luck": 0.5606985584456248}',1.73619919223710894584e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,4,'{"loss": 0.2232132936782809, "luck": 0.7656478768603969}',1.73629960045218467712e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,5,'{"loss": 0.09234756894755321, "luck": 0.9862810444956115}',1.68609985848888754844e-05,8);
INSERT INTO "hippo_metrics" VALUES(6,13,6,'{"loss": 0.06049071795497772, "luck": 0.4317209810926973}',1.696099934633821249e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,9,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.85229907603934407234e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,9,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.80240022018551826477e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,10,3,'{"loss": 0.3318879784610863, "luck": 0.4167216444296241}',3.12290067085996270179e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,10,4,'{"loss": 0.3131866681610792, "luck": 0.09989884338800914}',9.89839900285005569458e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,10,5,'{"loss": 0.2881633520944912, "luck": 0.3176475465581071}',3.08570015477016568183e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,10,6,'{"loss": 0.273178385410801, "luck": 0.6622026177734481}',3.32019990310072898864e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.65400012722238898277e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.79429916897788643836e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.72419968293979763984e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,11,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.68519909493625164031e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,12,5,'{"loss": 0.10168172210304977, "luck": 0.3176475465581071}',1.73629960045218467712e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,12,6,'{"loss": 0.09685617336715144, "luck": 0.6622026177734481}',1.721199078019708395e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,1,'{"loss": 0.5882027589421152, "luck": 0.2919745267583853}',2.70900054601952433586e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,2,'{"loss": 0.34670272670041247, "luck": 0.39900061541324894}',1.86539982678368687629e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,3,'{"loss": 0.21363536787014636, "luck": 0.4167216444296241}',1.78330083144828677177e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,4,'{"loss": 0.112007051654928, "luck": 0.09989884338800914}',1.72319996636360883712e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,5,'{"loss": 0.03370790002564021, "luck": 0.3176475465581071}',1.75019958987832069396e-05,8);
INSERT INTO "hippo_metrics" VALUES(7,13,6,'{"loss": 0.020726611989759634, "luck": 0.6622026177734481}',1.68019905686378479003e-05,8);
INSERT INTO "hippo_metrics" VALUES(8,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',3.26010049320757389068e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',1.95859902305528521537e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',1.880599302239716053e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',2.18509958358481526374e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',1.8283986719325184822e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',1.88549893209710717201e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',2.71699973382055759429e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',1.84539967449381947517e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',1.76030007423833e-05,9);
INSERT INTO "hippo_metrics" VALUES(8,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',2.59079970419406890869e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',3.14589997287839651107e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',1.94059975910931825637e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.77729962160810828208e-05,9);
INSERT INTO "hippo_metrics" VALUES(9,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',3.45150037901476e-05,9);
INSERT INTO "hippo_metrics" VALUES(2,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',3.3242002245970070362e-05,12);
INSERT INTO "hippo_metrics" VALUES(2,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.82340008905157446861e-05,12);
INSERT INTO "hippo_metrics" VALUES(10,1,1,'{"loss": 1.4120057871362517, "luck": 0.25399716101146985}',2.86429858533665537834e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,1,2,'{"loss": 0.6983429730211995, "luck": 0.7555491510543797}',1.89449929166585206985e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,1,3,'{"loss": 0.35382737131322267, "luck": 0.9581091069570088}',1.98469933820888400077e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,2,1,'{"loss": 2.291546304697009, "luck": 0.25399716101146985}',3.17990052280947566032e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,2,2,'{"loss": 1.8572751132834882, "luck": 0.7555491510543797}',1.87059922609478235244e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,2,3,'{"loss": 1.5143039172892543, "luck": 0.9581091069570088}',1.76530011231079697608e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,3,1,'{"loss": 1.8245728224913753, "luck": 0.25399716101146985}',3.18290112772956490516e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,3,2,'{"loss": 1.1710342522501354, "luck": 0.7555491510543797}',1.82439980562776327133e-05,13);
INSERT INTO "hippo_metrics" VALUES(10,3,3,'{"loss": 0.7622305003625882, "luck": 0.9581091069570088}',1.69709965121001e-05,13);
INSERT INTO "hippo_metrics" VALUES(11,1,1,'{"loss": 1.6432602771896012, "luck": 0.7351928141853318}',2.98360100714489817619e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,1,2,'{"loss": 0.7679914958981895, "luck": 0.8990734568859705}',2.27230048039928078651e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,1,3,'{"loss": 0.34563827023065713, "luck": 0.5606985584456248}',2.26830015890300273895e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,2,1,'{"loss": 2.595278690882496, "luck": 0.7351928141853318}',3.30609909724444150924e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,2,2,'{"loss": 2.081041290048132, "luck": 0.8990734568859705}',2.27130076382309198379e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,2,3,'{"loss": 1.663187771431688, "luck": 0.5606985584456248}',2.1319996449165046215e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,3,1,'{"loss": 2.0921210915666495, "luck": 0.7351928141853318}',3.05260036839172244071e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,3,2,'{"loss": 1.3059238627827707, "luck": 0.8990734568859705}',2.27220007218420505523e-05,14);
INSERT INTO "hippo_metrics" VALUES(11,3,3,'{"loss": 0.8045146250303803, "luck": 0.5606985584456248}',2.19810026464983820915e-05,14);
INSERT INTO "hippo_metrics" VALUES(12,1,1,'{"loss": 0.5882027589421148, "luck": 0.2919745267583853}',2.25020048674196e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,1,2,'{"loss": 0.34670272670041236, "luck": 0.39900061541324894}',1.87850091606378555297e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,1,3,'{"loss": 0.21363536787014628, "luck": 0.4167216444296241}',1.85649987543001770973e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,2,1,'{"loss": 1.001196401849103, "luck": 0.2919745267583853}',3.37320088874548673629e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,2,2,'{"loss": 0.8407915014041911, "luck": 0.39900061541324894}',1.85950048035010695457e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,2,3,'{"loss": 0.7082062890879998, "luck": 0.4167216444296241}',1.69810082297772169113e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,3,1,'{"loss": 0.780633851573473, "luck": 0.2919745267583853}',2.53180041909217834472e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,3,2,'{"loss": 0.5482365060163169, "luck": 0.39900061541324894}',1.79529888555407524108e-05,15);
INSERT INTO "hippo_metrics" VALUES(12,3,3,'{"loss": 0.39096937177195373, "luck": 0.4167216444296241}',1.73629960045218467712e-05,15);
CREATE TABLE hippo_node (
	"plan" BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	parent BIGINT, 
	start BIGINT NOT NULL, 
	pieces TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	inexact BOOLEAN NOT NULL, 
	digest VARCHAR(32) NOT NULL, 
	PRIMARY KEY ("plan", node)
);
INSERT INTO "hippo_node" VALUES(1,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(1,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(1,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(2,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(2,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(2,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(1,4,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(1,5,4,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'a296162f2e80457b4ebdb62c2d861712');
INSERT INTO "hippo_node" VALUES(1,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.25], "origin": null}}','',0,'ceb0d766f5daf7bff635762003ab9479');
INSERT INTO "hippo_node" VALUES(1,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.8], "origin": null}}','',0,'141b5c728914f5488e91737866caeac4');
INSERT INTO "hippo_node" VALUES(2,4,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.8], "origin": null}}','',0,'141b5c728914f5488e91737866caeac4');
INSERT INTO "hippo_node" VALUES(1,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.7000000000000001], "origin": null}}','',0,'0bedfc7b17d7631ab57e371170ca5db9');
INSERT INTO "hippo_node" VALUES(2,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.7000000000000001], "origin": null}}','',0,'0bedfc7b17d7631ab57e371170ca5db9');
INSERT INTO "hippo_node" VALUES(1,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.6000000000000001], "origin": null}}','',0,'0b729b7aa30d64cae90f540a6fc302ba');
INSERT INTO "hippo_node" VALUES(2,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.6000000000000001], "origin": null}}','',0,'0b729b7aa30d64cae90f540a6fc302ba');
INSERT INTO "hippo_node" VALUES(1,10,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.5], "origin": null}}','',0,'b0ad372e23460fa58087afd8eed79aab');
INSERT INTO "hippo_node" VALUES(2,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.5], "origin": null}}','',0,'b0ad372e23460fa58087afd8eed79aab');
INSERT INTO "hippo_node" VALUES(1,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.4], "origin": null}}','',0,'df01f57d1005f2f33a9ab728e240ad15');
INSERT INTO "hippo_node" VALUES(2,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.4], "origin": null}}','',0,'df01f57d1005f2f33a9ab728e240ad15');
INSERT INTO "hippo_node" VALUES(2,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(2,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'a296162f2e80457b4ebdb62c2d861712');
INSERT INTO "hippo_node" VALUES(2,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.25], "origin": null}}','',0,'ceb0d766f5daf7bff635762003ab9479');
INSERT INTO "hippo_node" VALUES(3,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(3,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'b8cc1489d8d3749e6856b7818f1fc85e');
INSERT INTO "hippo_node" VALUES(4,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(4,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'b8cc1489d8d3749e6856b7818f1fc85e');
INSERT INTO "hippo_node" VALUES(5,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','',0,'a6894cb85059291b2b7ec24c2100309d');
INSERT INTO "hippo_node" VALUES(5,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'b8cc1489d8d3749e6856b7818f1fc85e');
INSERT INTO "hippo_node" VALUES(3,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'2e8465dd3f3bc4abb0f619bb85775b5d');
INSERT INTO "hippo_node" VALUES(4,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'2e8465dd3f3bc4abb0f619bb85775b5d');
INSERT INTO "hippo_node" VALUES(5,3,1,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'2e8465dd3f3bc4abb0f619bb85775b5d');
INSERT INTO "hippo_node" VALUES(3,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'f7ce47ebaa3d8481d022a2b98240e6db');
INSERT INTO "hippo_node" VALUES(4,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'f7ce47ebaa3d8481d022a2b98240e6db');
INSERT INTO "hippo_node" VALUES(5,4,1,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'f7ce47ebaa3d8481d022a2b98240e6db');
INSERT INTO "hippo_node" VALUES(3,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'7c27e464d749ae0a4a3be3b1f658d8a4');
INSERT INTO "hippo_node" VALUES(4,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'7c27e464d749ae0a4a3be3b1f658d8a4');
INSERT INTO "hippo_node" VALUES(5,5,1,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'7c27e464d749ae0a4a3be3b1f658d8a4');
INSERT INTO "hippo_node" VALUES(3,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(3,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(3,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(4,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(4,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(4,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(5,6,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(5,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(5,8,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(6,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/0',0,'27a11af7617e9d0a511ddf56bd31c42f');
INSERT INTO "hippo_node" VALUES(6,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'c174ad26fa0beb6466319d72fe9419ad');
INSERT INTO "hippo_node" VALUES(7,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/0',0,'27a11af7617e9d0a511ddf56bd31c42f');
INSERT INTO "hippo_node" VALUES(7,2,1,2,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'c174ad26fa0beb6466319d72fe9419ad');
INSERT INTO "hippo_node" VALUES(6,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/1',0,'5d8d450cdbe65dda0cd8d6e0f01f7329');
INSERT INTO "hippo_node" VALUES(6,4,3,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'3587af63a09a12f068bf72d3861188a6');
INSERT INTO "hippo_node" VALUES(7,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/1',0,'5d8d450cdbe65dda0cd8d6e0f01f7329');
INSERT INTO "hippo_node" VALUES(7,4,3,3,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'3587af63a09a12f068bf72d3861188a6');
INSERT INTO "hippo_node" VALUES(6,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/2',0,'bb2783ebc1ebc35944fa134c7c48d201');
INSERT INTO "hippo_node" VALUES(6,6,5,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'43d085291c53964c787783fe8d4e66dc');
INSERT INTO "hippo_node" VALUES(7,5,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/2',0,'bb2783ebc1ebc35944fa134c7c48d201');
INSERT INTO "hippo_node" VALUES(7,6,5,4,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'43d085291c53964c787783fe8d4e66dc');
INSERT INTO "hippo_node" VALUES(6,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/3',0,'a93e9c1765b597e041c4312f7a0ac981');
INSERT INTO "hippo_node" VALUES(6,8,7,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'31ea2ca2c76298690194d01eccd289a5');
INSERT INTO "hippo_node" VALUES(7,7,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/3',0,'a93e9c1765b597e041c4312f7a0ac981');
INSERT INTO "hippo_node" VALUES(7,8,7,5,'{"lr": {"kind": "constant", "arguments": [0.15], "origin": null}}','',0,'31ea2ca2c76298690194d01eccd289a5');
INSERT INTO "hippo_node" VALUES(6,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/4',0,'f20f6f4b7eaf7e890cfa7c70607dfa21');
INSERT INTO "hippo_node" VALUES(6,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'f9cf899a80b4ca995ad147489197b06f');
INSERT INTO "hippo_node" VALUES(6,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/5',0,'f4fe301471370258d4ad48044526c38c');
INSERT INTO "hippo_node" VALUES(6,12,11,4,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'8dae372193f6afe713f4ee57d4f5591e');
INSERT INTO "hippo_node" VALUES(6,13,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/6',0,'a702b7028b2c21419995482f57437d32');
INSERT INTO "hippo_node" VALUES(7,9,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/4',0,'f20f6f4b7eaf7e890cfa7c70607dfa21');
INSERT INTO "hippo_node" VALUES(7,10,9,2,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'f9cf899a80b4ca995ad147489197b06f');
INSERT INTO "hippo_node" VALUES(7,11,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/5',0,'f4fe301471370258d4ad48044526c38c');
INSERT INTO "hippo_node" VALUES(7,12,11,4,'{"lr": {"kind": "constant", "arguments": [0.03], "origin": null}}','',0,'8dae372193f6afe713f4ee57d4f5591e');
INSERT INTO "hippo_node" VALUES(7,13,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.3], "origin": null}}','8/6',0,'a702b7028b2c21419995482f57437d32');
INSERT INTO "hippo_node" VALUES(8,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(8,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(8,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(9,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(9,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(9,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(10,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(10,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(10,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(11,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(11,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(11,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
INSERT INTO "hippo_node" VALUES(12,1,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.30000000000000004], "origin": null}}','',0,'ffc34310b96c1953981a6667a9d27a9a');
INSERT INTO "hippo_node" VALUES(12,2,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.1], "origin": null}}','',0,'1f2b8a459f9e71e72df0821febd7d4b0');
INSERT INTO "hippo_node" VALUES(12,3,NULL,0,'{"lr": {"kind": "constant", "arguments": [0.2], "origin": null}}','',0,'23e640cef842658df09059489c0208c4');
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
	fusion TEXT NOT NULL, 
	PRIMARY KEY ("plan")
);
INSERT INTO "hippo_plan" VALUES(1,'a9a031d399da2d663ca45e58a803a53d1cd89c168a65587bd19e37e544d8b706','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',12,'somebody',1.79542195338797831534e+09,'');
INSERT INTO "hippo_plan" VALUES(2,'eeaea41b713919954641d1174b972e128ed310241e7de4c260c79480b6b37a7f','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',6,'somebody',1.79542195352055931087e+09,'');
INSERT INTO "hippo_plan" VALUES(3,'097ad3ddb8e5902c940b83dd39f7b6935d5354bf1e4ff52d805664c8ccd0a3ae','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 10, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79542195427733230596e+09,'');
INSERT INTO "hippo_plan" VALUES(4,'9188e6730ba588634b7af8579fc562edac19a740fc65e54b732af55eced8083b','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 9, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79542195427971720692e+09,'');
INSERT INTO "hippo_plan" VALUES(5,'fbe8687c19d1f1fda72c640c46638e7ab490450be963a441cf4d766c898aaf76','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 2, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79542195428077745438e+09,'');
INSERT INTO "hippo_plan" VALUES(6,'587a910fdbef303ee0c43fe4769ae59c99e4b80a7b941b517d2b3e86d0bbfb79','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": "private (seed 0)", "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79542195453884816168e+09,'');
INSERT INTO "hippo_plan" VALUES(7,'a5578882a8f33d0c0082421f2e6cad3c3cbac43aff5080e8a09a4d3171d70008','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": "private (seed 1)", "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.79542195454121756553e+09,'');
INSERT INTO "hippo_plan" VALUES(8,'57fd48ef2a95e184280d32eb74083e86fa09970ba198e57db08b0d66b4ad6aed','{"arguments": "{\"raise_at\":1,\"raise_if\":{\"lr\":0.2},\"raise_in\":\"train\"}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79542195473592138292e+09,'');
INSERT INTO "hippo_plan" VALUES(9,'ec65d00b46cc445f46365217b558b190cf3644406041e4ef620ccd3d48276e91','{"arguments": "{\"raise_at\":1,\"raise_if\":{\"lr\":0.2},\"raise_in\":\"train\"}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79542195473952746398e+09,'');
INSERT INTO "hippo_plan" VALUES(10,'6936fecdee1ab09fb99785aa144ad31c79aedeb2a89bca41764799a4733064f4','{"arguments": "{}", "code": "version 1", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 5, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.7954219553229277134e+09,'');
INSERT INTO "hippo_plan" VALUES(11,'f47f13ab8f53c59f27d64bd99306ae333753f7898397ddea065aff318f3c86d0','{"arguments": "{}", "code": "version 2", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 0, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',2,'somebody',1.7954219554558045864e+09,'');
INSERT INTO "hippo_plan" VALUES(12,'7fb2056246e5687cac706b4f7f013e367b594eaeb0e5e8b456a4be91151e707d','{"arguments": "{}", "code": "version 2", "compiled": "", "dataset": null, "evaluate_every": 1, "exactness": 1, "numerics": "exact", "private_to": null, "scale": "1", "seed": 1, "trainer": "hippo.testing.trainers:ToyTrainer"}',0,'','proven',1,'somebody',1.79542195563536620137e+09,'');
CREATE TABLE hippo_request (
	study BIGINT NOT NULL, 
	request BIGINT NOT NULL, 
	call BIGINT NOT NULL, 
	trial BIGINT NOT NULL, 
	member TEXT NOT NULL, 
	until BIGINT NOT NULL, 
	final BOOLEAN NOT NULL, 
	uncovered TEXT NOT NULL, 
	state TEXT NOT NULL, 
	delivery BIGINT, 
	seconds FLOAT, 
	PRIMARY KEY (study, request)
);
INSERT INTO "hippo_request" VALUES(1,1,0,0,'',2,1,'','answered',0,2.20449015614576637744e-04);
INSERT INTO "hippo_request" VALUES(1,2,0,1,'',2,1,'','answered',1,1.70077983057126402854e-04);
INSERT INTO "hippo_request" VALUES(1,3,0,2,'',2,1,'','answered',2,1.62523007020354270935e-04);
INSERT INTO "hippo_request" VALUES(2,1,0,0,'seed 0',2,1,'','answered',0,2.20449015614576637744e-04);
INSERT INTO "hippo_request" VALUES(2,2,0,0,'seed 1',2,1,'','answered',1,1.79074006155133247375e-04);
INSERT INTO "hippo_request" VALUES(2,3,0,1,'seed 0',2,1,'','answered',0,1.70077983057126402854e-04);
INSERT INTO "hippo_request" VALUES(2,4,0,1,'seed 1',2,1,'','answered',2,1.8354199710302054882e-04);
INSERT INTO "hippo_request" VALUES(2,5,0,2,'seed 0',2,1,'','answered',0,1.62523007020354270935e-04);
INSERT INTO "hippo_request" VALUES(2,6,0,2,'seed 1',2,1,'','answered',3,1.45391008118167519569e-04);
INSERT INTO "hippo_request" VALUES(3,1,0,0,'',2,1,'','answered',0,2.20449015614576637744e-04);
INSERT INTO "hippo_request" VALUES(3,2,0,1,'',2,1,'','answered',0,1.70077983057126402854e-04);
INSERT INTO "hippo_request" VALUES(3,3,0,2,'',2,1,'','answered',0,1.62523007020354270935e-04);
INSERT INTO "hippo_request" VALUES(4,1,0,0,'',2,1,'','answered',0,2.20449015614576637744e-04);
INSERT INTO "hippo_request" VALUES(4,2,0,1,'',2,1,'','answered',0,1.70077983057126402854e-04);
INSERT INTO "hippo_request" VALUES(4,3,0,2,'',2,1,'','answered',0,1.62523007020354270935e-04);
INSERT INTO "hippo_request" VALUES(5,1,0,0,'',2,0,'','answered',0,1.71250008861534297466e-04);
INSERT INTO "hippo_request" VALUES(5,2,0,1,'',2,0,'','answered',0,1.71250008861534297466e-04);
INSERT INTO "hippo_request" VALUES(5,3,0,2,'',2,0,'','answered',0,1.71250008861534297466e-04);
INSERT INTO "hippo_request" VALUES(5,4,0,0,'',4,0,'','answered',1,3.37660007062368094921e-04);
INSERT INTO "hippo_request" VALUES(5,5,0,0,'',8,1,'','answered',2,5.74059027712792158126e-04);
INSERT INTO "hippo_request" VALUES(5,6,1,3,'',3,0,'','answered',0,2.73518991889432072639e-04);
INSERT INTO "hippo_request" VALUES(5,7,2,4,'',4,1,'','answered',0,3.22420019074343144893e-04);
INSERT INTO "hippo_request" VALUES(5,8,2,5,'',4,1,'','answered',1,2.73151992587372660636e-04);
INSERT INTO "hippo_request" VALUES(5,9,2,6,'',4,1,'','answered',2,2.86121998215094208717e-04);
INSERT INTO "hippo_request" VALUES(6,1,0,0,'seed 0',2,0,'','answered',2,0.000239606000832282);
INSERT INTO "hippo_request" VALUES(6,2,0,0,'seed 1',2,0,'','answered',1,2.38994980463758111e-04);
INSERT INTO "hippo_request" VALUES(6,3,0,0,'seed 0',4,0,'','answered',5,4.48486985987983644008e-04);
INSERT INTO "hippo_request" VALUES(6,4,0,0,'seed 1',4,0,'','answered',4,4.17897987063042819499e-04);
INSERT INTO "hippo_request" VALUES(6,5,0,1,'seed 0',2,0,'','answered',8,2.16564003494568169116e-04);
INSERT INTO "hippo_request" VALUES(6,6,0,1,'seed 1',2,0,'','answered',7,2.006829890888184309e-04);
INSERT INTO "hippo_request" VALUES(6,7,0,2,'seed 0',2,0,'','answered',11,1.6815299750305712223e-04);
INSERT INTO "hippo_request" VALUES(6,8,0,2,'seed 1',2,0,'','answered',10,1.93441999726928770542e-04);
INSERT INTO "hippo_request" VALUES(6,9,0,3,'seed 0',2,0,'','answered',14,1.45320998854003846645e-04);
INSERT INTO "hippo_request" VALUES(6,10,0,3,'seed 1',2,0,'','answered',13,1.55250003444962203502e-04);
INSERT INTO "hippo_request" VALUES(6,11,0,3,'seed 0',4,0,'','answered',17,2.88798008114099502563e-04);
INSERT INTO "hippo_request" VALUES(6,12,0,3,'seed 1',4,0,'','answered',16,2.96182013698853552341e-04);
INSERT INTO "hippo_request" VALUES(6,13,0,4,'seed 0',2,0,'','answered',20,1.42344986670650541782e-04);
INSERT INTO "hippo_request" VALUES(6,14,0,4,'seed 1',2,0,'','answered',19,0.000153084984049201);
INSERT INTO "hippo_request" VALUES(6,15,0,5,'seed 0',2,0,'','answered',22,2.20449015614576637744e-04);
INSERT INTO "hippo_request" VALUES(6,16,0,5,'seed 1',2,0,'','answered',22,1.79074006155133247375e-04);
INSERT INTO "hippo_request" VALUES(6,17,0,6,'seed 0',2,0,'','answered',24,1.62523007020354270935e-04);
INSERT INTO "hippo_request" VALUES(6,18,0,6,'seed 1',2,0,'','answered',24,1.45391008118167519569e-04);
INSERT INTO "hippo_request" VALUES(6,19,0,6,'seed 0',4,0,'','answered',26,2.86121998215094208717e-04);
INSERT INTO "hippo_request" VALUES(6,20,0,6,'seed 1',4,0,'','answered',27,2.45519011514261364936e-04);
INSERT INTO "hippo_request" VALUES(6,21,0,7,'seed 0',2,0,'','answered',29,1.70077983057126402854e-04);
INSERT INTO "hippo_request" VALUES(6,22,0,7,'seed 1',2,0,'','answered',29,1.8354199710302054882e-04);
INSERT INTO "hippo_request" VALUES(6,23,1,8,'seed 0',2,0,'','answered',0,1.71250008861534297466e-04);
INSERT INTO "hippo_request" VALUES(6,24,1,8,'seed 1',2,0,'','answered',1,1.83682015631347894668e-04);
INSERT INTO "hippo_request" VALUES(6,25,1,9,'seed 0',2,0,'','answered',0,1.71250008861534297466e-04);
INSERT INTO "hippo_request" VALUES(6,26,1,9,'seed 1',2,0,'','answered',1,1.83682015631347894668e-04);
INSERT INTO "hippo_request" VALUES(6,27,1,10,'seed 0',2,0,'','answered',0,1.71250008861534297466e-04);
INSERT INTO "hippo_request" VALUES(6,28,1,10,'seed 1',2,0,'','answered',1,1.83682015631347894668e-04);
INSERT INTO "hippo_request" VALUES(6,29,1,8,'seed 0',4,0,'','answered',2,3.37660007062368094921e-04);
INSERT INTO "hippo_request" VALUES(6,30,1,8,'seed 1',4,0,'','answered',3,3.60822014044970273971e-04);
INSERT INTO "hippo_request" VALUES(6,31,1,8,'seed 0',8,1,'','answered',4,5.74059027712792158126e-04);
INSERT INTO "hippo_request" VALUES(6,32,1,8,'seed 1',8,1,'','answered',5,6.00470026256516575813e-04);
INSERT INTO "hippo_request" VALUES(6,33,2,11,'seed 0',3,0,'','answered',0,2.73518991889432072639e-04);
INSERT INTO "hippo_request" VALUES(6,34,2,11,'seed 1',3,0,'','answered',1,2.50397017225623130798e-04);
INSERT INTO "hippo_request" VALUES(7,1,0,0,'seed 10',6,0,'[0, 6, 6, 6, 6]','answered',0,4.43947996245697140693e-04);
INSERT INTO "hippo_request" VALUES(7,2,0,0,'seed 9',6,0,'[0, 6, 6, 6, 6]','answered',1,4.31614025728777050971e-04);
INSERT INTO "hippo_request" VALUES(7,3,0,0,'seed 2',6,0,'[0, 6, 6, 6, 6]','answered',2,4.35141002526506781578e-04);
INSERT INTO "hippo_request" VALUES(7,4,0,1,'seed 10',6,0,'[4, 4, 4, 4]','answered',4,4.42614997155033051967e-04);
INSERT INTO "hippo_request" VALUES(7,5,0,1,'seed 9',6,0,'[4, 4, 4, 4]','answered',5,4.27216014941222965717e-04);
INSERT INTO "hippo_request" VALUES(7,6,0,1,'seed 2',6,0,'[4, 4, 4, 4]','answered',3,4.32697008363902568817e-04);
INSERT INTO "hippo_request" VALUES(7,7,0,2,'seed 10',6,0,'[7, 3, 3]','answered',6,4.55199988209642469882e-04);
INSERT INTO "hippo_request" VALUES(7,8,0,2,'seed 9',6,0,'[7, 3, 3]','answered',7,4.29319989052601158618e-04);
INSERT INTO "hippo_request" VALUES(7,9,0,2,'seed 2',6,0,'[7, 3, 3]','answered',8,1.91841801279224455356e-03);
INSERT INTO "hippo_request" VALUES(7,10,0,3,'seed 10',6,0,'[9, 2]','answered',11,4.79023990919813513755e-04);
INSERT INTO "hippo_request" VALUES(7,11,0,3,'seed 9',6,0,'[9, 2]','answered',10,4.40067015006206929683e-04);
INSERT INTO "hippo_request" VALUES(7,12,0,3,'seed 2',6,0,'[9, 2]','answered',9,1.92091200733557343482e-03);
INSERT INTO "hippo_request" VALUES(7,13,1,4,'seed 10',4,1,'','answered',3,2.45746035943739116191e-04);
INSERT INTO "hippo_request" VALUES(7,14,1,4,'seed 9',4,1,'','answered',6,3.77734002540819346904e-04);
INSERT INTO "hippo_request" VALUES(7,15,1,4,'seed 2',4,1,'','answered',0,3.11167983454652130603e-04);
INSERT INTO "hippo_request" VALUES(7,16,1,5,'seed 10',4,1,'','answered',4,2.44196009589359164237e-04);
INSERT INTO "hippo_request" VALUES(7,17,1,5,'seed 9',4,1,'','answered',7,2.45698000071570277214e-04);
INSERT INTO "hippo_request" VALUES(7,18,1,5,'seed 2',4,1,'','answered',1,2.53942984272725880146e-04);
INSERT INTO "hippo_request" VALUES(7,19,1,6,'seed 10',4,1,'','answered',5,4.29009000072255730628e-04);
INSERT INTO "hippo_request" VALUES(7,20,1,6,'seed 9',4,1,'','answered',8,0.000241420028032735);
INSERT INTO "hippo_request" VALUES(7,21,1,6,'seed 2',4,1,'','answered',2,2.56470011663623154163e-04);
INSERT INTO "hippo_request" VALUES(8,1,0,0,'seed 0',6,0,'[0, 6, 6, 6, 6]','answered',0,4.33497989433817565441e-04);
INSERT INTO "hippo_request" VALUES(8,2,0,0,'seed 1',6,0,'[0, 6, 6, 6, 6]','answered',1,4.8360301298089325428e-04);
INSERT INTO "hippo_request" VALUES(8,3,0,1,'seed 0',6,0,'[4, 6, 6, 6]','answered',2,4.37285983934998512268e-04);
INSERT INTO "hippo_request" VALUES(8,4,0,1,'seed 1',6,0,'[4, 6, 6, 6]','answered',3,4.50240971986204385757e-04);
INSERT INTO "hippo_request" VALUES(8,5,0,2,'seed 0',6,0,'[7, 6, 6]','answered',4,4.42863994976505637168e-04);
INSERT INTO "hippo_request" VALUES(8,6,0,2,'seed 1',6,0,'[7, 6, 6]','answered',5,3.7875596899539232254e-04);
INSERT INTO "hippo_request" VALUES(8,7,0,3,'seed 0',6,0,'[9, 6]','answered',6,4.29151012212969362735e-04);
INSERT INTO "hippo_request" VALUES(8,8,0,3,'seed 1',6,0,'[9, 6]','answered',7,4.27608028985559940338e-04);
INSERT INTO "hippo_request" VALUES(8,9,1,4,'seed 0',6,1,'','answered',0,4.02872014092281460762e-04);
INSERT INTO "hippo_request" VALUES(8,10,1,4,'seed 1',6,1,'','answered',3,5.60805987333878874778e-04);
INSERT INTO "hippo_request" VALUES(8,11,1,5,'seed 0',6,1,'','answered',1,4.3050199747085571289e-04);
INSERT INTO "hippo_request" VALUES(8,12,1,5,'seed 1',6,1,'','answered',4,3.6659296893049031496e-04);
INSERT INTO "hippo_request" VALUES(8,13,1,6,'seed 0',6,1,'','answered',2,3.36266966769471764564e-04);
INSERT INTO "hippo_request" VALUES(8,14,1,6,'seed 1',6,1,'','answered',5,3.80655998014844954013e-04);
INSERT INTO "hippo_request" VALUES(9,1,0,0,'seed 0',3,1,'','answered',0,2.53393984166905283927e-04);
INSERT INTO "hippo_request" VALUES(9,2,0,0,'seed 1',3,1,'','answered',1,2.30980978813022375106e-04);
INSERT INTO "hippo_request" VALUES(9,3,0,1,'seed 0',3,1,'','answered',2,2.02486990019679069519e-04);
INSERT INTO "hippo_request" VALUES(9,4,0,1,'seed 1',3,1,'','answered',4,2.11535996641032397747e-04);
INSERT INTO "hippo_request" VALUES(9,5,0,2,'seed 0',3,1,'','answered',3,8.94469994818791747093e-05);
INSERT INTO "hippo_request" VALUES(9,6,0,2,'seed 1',3,1,'','answered',5,9.64909995673224329948e-05);
INSERT INTO "hippo_request" VALUES(10,1,0,0,'seed 0',2,0,'','answered',1,0.000239606000832282);
INSERT INTO "hippo_request" VALUES(10,2,0,0,'seed 1',2,0,'','answered',1,2.38994980463758111e-04);
INSERT INTO "hippo_request" VALUES(10,3,0,0,'seed 0',4,0,'','answered',3,4.48486985987983644008e-04);
INSERT INTO "hippo_request" VALUES(10,4,0,0,'seed 1',4,0,'','answered',3,4.17897987063042819499e-04);
INSERT INTO "hippo_request" VALUES(10,5,0,1,'seed 0',2,0,'','answered',5,2.16564003494568169116e-04);
INSERT INTO "hippo_request" VALUES(10,6,0,1,'seed 1',2,0,'','answered',5,2.006829890888184309e-04);
INSERT INTO "hippo_request" VALUES(10,7,0,2,'seed 0',2,0,'','answered',7,1.6815299750305712223e-04);
INSERT INTO "hippo_request" VALUES(10,8,0,2,'seed 1',2,0,'','answered',7,1.93441999726928770542e-04);
INSERT INTO "hippo_request" VALUES(10,9,0,3,'seed 0',2,0,'','answered',9,1.45320998854003846645e-04);
INSERT INTO "hippo_request" VALUES(10,10,0,3,'seed 1',2,0,'','answered',9,1.55250003444962203502e-04);
INSERT INTO "hippo_request" VALUES(11,1,0,0,'',3,1,'','answered',0,2.71485027042217552661e-04);
INSERT INTO "hippo_request" VALUES(11,2,0,1,'',3,1,'','answered',0,2.22486982238478958606e-04);
INSERT INTO "hippo_request" VALUES(11,3,0,2,'',3,1,'','answered',0,2.15992011362686753273e-04);
INSERT INTO "hippo_request" VALUES(12,1,0,0,'',3,1,'','answered',1,2.48152005951851606369e-04);
INSERT INTO "hippo_request" VALUES(12,2,0,1,'',3,1,'','answered',2,0.000237492989981547);
INSERT INTO "hippo_request" VALUES(12,3,0,2,'',3,1,'','answered',0,1.96207009139470756053e-04);
INSERT INTO "hippo_request" VALUES(13,1,0,0,'',3,1,'','answered',0,2.47611969825811684131e-04);
INSERT INTO "hippo_request" VALUES(13,2,0,1,'',3,1,'','answered',1,2.1048200142104178667e-04);
INSERT INTO "hippo_request" VALUES(13,3,0,2,'',3,1,'','answered',2,2.00694004888646304607e-04);
INSERT INTO "hippo_request" VALUES(14,1,0,0,'',3,1,'','answered',0,2.93026998406276106834e-04);
INSERT INTO "hippo_request" VALUES(14,2,0,1,'',3,1,'','answered',1,2.55867009400390088558e-04);
INSERT INTO "hippo_request" VALUES(14,3,0,2,'',3,1,'','answered',2,2.44625000050291419029e-04);
INSERT INTO "hippo_request" VALUES(15,1,0,0,'seed 0',3,1,'','answered',0,2.93026998406276106834e-04);
INSERT INTO "hippo_request" VALUES(15,2,0,0,'seed 1',3,1,'','answered',1,2.44938011746853590011e-04);
INSERT INTO "hippo_request" VALUES(15,3,0,1,'seed 0',3,1,'','answered',0,2.55867009400390088558e-04);
INSERT INTO "hippo_request" VALUES(15,4,0,1,'seed 1',3,1,'','answered',2,2.25499024963937699794e-04);
INSERT INTO "hippo_request" VALUES(15,5,0,2,'seed 0',3,1,'','answered',0,2.44625000050291419029e-04);
INSERT INTO "hippo_request" VALUES(15,6,0,2,'seed 1',3,1,'','answered',3,1.92167994100600481033e-04);
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
INSERT INTO "hippo_state" VALUES(1,1,4,'40bfd8acb39008f8fc629cef63fe26a3bf4bb9a39eff8bc1657b8beb0a372b4f');
INSERT INTO "hippo_state" VALUES(1,2,4,'55e209a12f3927e87c36304dbf60b8650447db6b8cd0cac7e6b98259c2eac41f');
INSERT INTO "hippo_state" VALUES(1,3,4,'f857fccbf78e7b2393676545b71bfc4967635ed92015c3452ebf650feadaa122');
INSERT INTO "hippo_state" VALUES(2,4,2,'f89007e3e104f22f3cb4f135c5798ae243cd19a35b647752c69c8a3d6b79e68b');
INSERT INTO "hippo_state" VALUES(1,7,2,'c24331926e9a3fa6b70a88044be9e146aad54426bf2a568a5dbd40c787364b79');
INSERT INTO "hippo_state" VALUES(2,4,4,'3f6c1e6a76ab985747271cc33e4b7047def94b02fec9ad7cb90d514f36c3356d');
INSERT INTO "hippo_state" VALUES(1,7,4,'7b360b708c96252fa1ce14c47cc443d2013082d5fdd761922bab9e7f7a37c99f');
INSERT INTO "hippo_state" VALUES(2,5,2,'b24a71e32f50cf1c7153914a93700c3aec4af0fa151806f6280e9c487f3778b3');
INSERT INTO "hippo_state" VALUES(1,8,2,'5d088ba1ca5e0e8559a355fb19e4696ab5388762e77325dea1dbc23b37e9974f');
INSERT INTO "hippo_state" VALUES(2,6,2,'16e61b832fa0c2e7e967e965da8fe80437fd30e40848142105640840645f14ba');
INSERT INTO "hippo_state" VALUES(1,9,2,'44d6ace46f7d7ba1c67ab9ecbcb01161a070b5244f417c89f2eb477ad9fcd302');
INSERT INTO "hippo_state" VALUES(2,7,2,'c9a1608d29b793a344f5412c2412446b3f6b59aadb303e91655824ac14164f6b');
INSERT INTO "hippo_state" VALUES(1,10,2,'6dd45e138dbd40b70e1974e4f00bff0d96be4806206edf6a67c31de4c546a3ac');
INSERT INTO "hippo_state" VALUES(2,7,4,'e920267c6ccfbfb537924d8e605a0c608a16a07c084522ed3281c21512016f43');
INSERT INTO "hippo_state" VALUES(1,10,4,'5b9fd77ba6e56062d329fe4c6e76843db24c6244b33d48414dfec89b74a3ad91');
INSERT INTO "hippo_state" VALUES(2,8,2,'4e585ae47a3fbb6d0cab636a69168908a1b8ce45e0bc23c33efba573c2937823');
INSERT INTO "hippo_state" VALUES(1,11,2,'b8811bcff2c2822f57ff29afe6837f119bd85147e416556e9c9ee07232b4838d');
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
INSERT INTO "hippo_state" VALUES(5,3,6,'d7cfb89d7bbda5db56f733ee273efffc29a6ad8caaffaacca5b9f7af2416e67e');
INSERT INTO "hippo_state" VALUES(3,3,6,'202f806acc7426064f84bb24911dadd6ba3da8af9a9698372b1008a40ee1a07e');
INSERT INTO "hippo_state" VALUES(4,3,6,'f7a8815999beee21d9d27cb6a179cf73dbc6cb74f53f09900a957f2aac0764f6');
INSERT INTO "hippo_state" VALUES(3,1,4,'7d07a3e631e5ae1e87488ec07cb45356e09f4322f26461518244aaedfe479c98');
INSERT INTO "hippo_state" VALUES(3,4,6,'cdb1ff3cf884afa1cff95e0bf9e9f0642a4296574b48da5a8dbeb9824736f590');
INSERT INTO "hippo_state" VALUES(4,4,6,'3057041505e33f095b3ea8ef0b064d91d656a0afc7a4ce1a76bab241723b259a');
INSERT INTO "hippo_state" VALUES(5,4,6,'be536ccee8f6b9ae75ff1196844acfe7dfa9ad539d6c3b0fd9abe38dcf711176');
INSERT INTO "hippo_state" VALUES(5,1,5,'baf52bf43b40c23d50ac507d16d2af1a03cc4a7046113fb9d1aa493a698697f0');
INSERT INTO "hippo_state" VALUES(5,5,6,'9b806778137175035b67b0f3b4ab694bbfe535c36a4cb07e0fac525757efdef3');
INSERT INTO "hippo_state" VALUES(4,1,5,'0735fe4163f7aa5e706eeb7c62f592aa607bdca5a78a6c2360bf87f2f6d4a67d');
INSERT INTO "hippo_state" VALUES(4,5,6,'3137f7d9837d0f7499f7d7b991a881e04dd804082834032cdc7141716c2a8790');
INSERT INTO "hippo_state" VALUES(3,5,6,'a8e2cf64d5f4d0d71dfc134bf1c80dbe87740e97ce8e38acef18701867925949');
INSERT INTO "hippo_state" VALUES(5,6,4,'9ff213c9244c06c86a6dd7ffff4a45fce142fa1d75b145be1e1e72701924c52e');
INSERT INTO "hippo_state" VALUES(5,7,4,'93c595d68e8e37395e4f4db70f929ce5117bb5824fdb94c6e423d50b9678a714');
INSERT INTO "hippo_state" VALUES(5,8,4,'f327eb8a3d24395a98424014c9d202acca9fb96ebb8130b88df4931287c5124a');
INSERT INTO "hippo_state" VALUES(3,6,4,'907ab37828da271c886d2544ec2c1cd4c3bdba5694dabe8c716991dc6ff6ad76');
INSERT INTO "hippo_state" VALUES(3,7,4,'cee33f2e9b6ea3e218156f001f1b739229d949080c03a1ed9799cf97e43a2b2f');
INSERT INTO "hippo_state" VALUES(3,8,4,'e52d097cf4d6c80a5108e7bb530ca5fa7f5fe910068dd308a7cca9148559fe3a');
INSERT INTO "hippo_state" VALUES(4,6,4,'5936f8f892bda8c37d8ba8e05666d9db2d7127b172937a44501e8d78b2219070');
INSERT INTO "hippo_state" VALUES(4,7,4,'c34510328c6961cd8599c121751da78e526329f5e1c76ba1c3e5c154f58476c7');
INSERT INTO "hippo_state" VALUES(4,8,4,'eb244d2f83d1df153486bcedda8686e1a293513ab919dfb0bdb4f6d05081bc88');
INSERT INTO "hippo_state" VALUES(6,1,2,'ea2b48c404daa167e6dc118876a7d7a92d88ec9249a46af9884a758edc9bf4f0');
INSERT INTO "hippo_state" VALUES(6,2,6,'b9c59c55c1fe0d3b17d09723229a3d23d418e2ac950f050ea6f03d1fec0410c2');
INSERT INTO "hippo_state" VALUES(7,1,2,'e060c5f98d5d966e5e4db455da049d5fb8355eb8ba0e808da4c5f63cf11d1cf8');
INSERT INTO "hippo_state" VALUES(7,2,6,'60daac999ac77fe06e6d1e1ac5d96bb03cd0f40959636f4a55bf2db0901e4358');
INSERT INTO "hippo_state" VALUES(6,3,3,'0fcb948aead3fda09fe443b148b569ae1ec390e158e87ccd5168e86b1f4015cb');
INSERT INTO "hippo_state" VALUES(6,4,6,'d7bd2605606570415dd8629f1c080da1643e5fa9086e7ff71c446a4e2461cca8');
INSERT INTO "hippo_state" VALUES(7,3,3,'0fd2c7011dd20de0816990efd9cf1de67ec5fd116c6903cf827010ee904b7e08');
INSERT INTO "hippo_state" VALUES(7,4,6,'388a2c86da97c10344907323be57be5b491208f614d4bdfd4bbf443fb1806a31');
INSERT INTO "hippo_state" VALUES(6,5,4,'a7db5c1729f4260b4c35968eb98e004c28281c79d4834942e92f50af1e9badfd');
INSERT INTO "hippo_state" VALUES(6,6,6,'c075d5dd50caba1ef5d6786cc6f0394f1b822a87110a5dd8397191b91290550c');
INSERT INTO "hippo_state" VALUES(7,5,4,'0d8fb9a8e721ceff92d8d70dfff789f30310b29f9cd6173ba34cf1f7adedf8a8');
INSERT INTO "hippo_state" VALUES(7,6,6,'42beacd6bbc9a7b03bab4e513a7f895cd82902e32b4499079782cfaa430f2722');
INSERT INTO "hippo_state" VALUES(6,7,5,'0680ec494bd71511e37dacf4b06249796c01c5589c76d051eacb524f0ad309a7');
INSERT INTO "hippo_state" VALUES(6,8,6,'75e2559ebb8db4b0d3625153b373727731938ea5f49e247bdcce22fee9f244bf');
INSERT INTO "hippo_state" VALUES(7,7,5,'f822aafecd7ad221a5060c2f1a15f4d4eefd514591ffb070c685bafd8656d57d');
INSERT INTO "hippo_state" VALUES(7,8,6,'183c3ef6e4615b644a7a2f0f588fbe0758900341be72435f1c898583e975a853');
INSERT INTO "hippo_state" VALUES(6,10,6,'f76ed637dee1f1f8dff51df4599ae88b756e9cc8fe686085a514383a22bf7d33');
INSERT INTO "hippo_state" VALUES(6,12,6,'6bedde26aacbc1b956a8b73e9b59af07b3e2711ae1386670aba6c88df5315038');
INSERT INTO "hippo_state" VALUES(6,13,6,'b16b8bdf9fa5b2066862ce627f84cbd910d2eeb67d1764ab276bdd5a408624dc');
INSERT INTO "hippo_state" VALUES(7,10,6,'5abc37a6a7fb36c40f1eec424d522c1cf9a8d5f27a3e9272885815d84150f1d9');
INSERT INTO "hippo_state" VALUES(7,12,6,'934c3ca92fb3ac0250536168168aa1968377aced17b48d09d68ca8416adc333d');
INSERT INTO "hippo_state" VALUES(7,13,6,'746d4acf4ece4bf504504100b69802f82b04bf9abc8638107cccf0c5d46ad3d8');
INSERT INTO "hippo_state" VALUES(8,1,3,'148b058bc0165a883d64c3ca04a86d2f4dd4c2f919f514aea59b55a20d58fe73');
INSERT INTO "hippo_state" VALUES(9,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(8,2,3,'822c570fc6c7d3af2b51e7e8fe42e1f391560909a1e5009c157aac57bee39f04');
INSERT INTO "hippo_state" VALUES(9,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
INSERT INTO "hippo_state" VALUES(2,1,3,'9017406bdb34e44760000b45db36a86cd7641e058313270ff9985f59bb49e41f');
INSERT INTO "hippo_state" VALUES(2,2,3,'08b8ec5ba7c1cc826f182dc585a3e6d01f1a557a79719fa252f2c3f589703f4e');
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
INSERT INTO "hippo_step" VALUES(1,1,1,0,'first',1,'{"slope": 2.1684074606012884}',1.08382009784691035747e-04);
INSERT INTO "hippo_step" VALUES(1,1,2,0,'first',1,'{"slope": 1.8679250176159752}',6.09430135227739810943e-05);
INSERT INTO "hippo_step" VALUES(1,1,2,1,'check',1,'{}',7.35465990146622061729e-04);
INSERT INTO "hippo_step" VALUES(1,1,1,1,'check',1,'{}',7.35465990146622061729e-04);
INSERT INTO "hippo_step" VALUES(1,2,1,0,'first',1,'{"slope": 2.1684074606012884}',7.63519929023459553718e-05);
INSERT INTO "hippo_step" VALUES(1,2,2,0,'first',1,'{"slope": 2.301606509736233}',4.38019924331456422805e-05);
INSERT INTO "hippo_step" VALUES(1,3,1,0,'first',1,'{"slope": 2.1684074606012884}',6.9479996454902e-05);
INSERT INTO "hippo_step" VALUES(1,3,2,0,'first',1,'{"slope": 2.0847657636761037}',4.12560038967058062553e-05);
INSERT INTO "hippo_step" VALUES(2,1,1,0,'first',2,'{"slope": 1.8204734693921991}',8.88360082171857357025e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,0,'first',2,'{"slope": 1.0129464744554324}',4.49739891337230801582e-05);
INSERT INTO "hippo_step" VALUES(2,1,2,1,'check',2,'{}',0.000563971494557336);
INSERT INTO "hippo_step" VALUES(2,1,1,1,'check',2,'{}',0.000563971494557336);
INSERT INTO "hippo_step" VALUES(2,2,1,0,'first',2,'{"slope": 1.8204734693921991}',8.02800059318542480468e-05);
INSERT INTO "hippo_step" VALUES(2,2,2,0,'first',2,'{"slope": 1.3770411683338724}',4.63659962406381964683e-05);
INSERT INTO "hippo_step" VALUES(2,3,1,0,'first',2,'{"slope": 1.8204734693921991}',6.26370019745081663131e-05);
INSERT INTO "hippo_step" VALUES(2,3,2,0,'first',2,'{"slope": 1.1949938213946525}',3.76399984816089272499e-05);
INSERT INTO "hippo_step" VALUES(1,4,1,0,'first',5,'{"slope": 2.1684074606012884}',8.39169952087104320526e-05);
INSERT INTO "hippo_step" VALUES(1,4,2,0,'first',5,'{"slope": 1.8679250176159752}',3.90130007872357964515e-05);
INSERT INTO "hippo_step" VALUES(1,5,3,0,'first',5,'{"slope": 1.34201546402799}',8.0350000644102692604e-05);
INSERT INTO "hippo_step" VALUES(1,5,3,1,'check',5,'{}',6.82560974382795393466e-04);
INSERT INTO "hippo_step" VALUES(1,5,4,0,'first',5,'{"slope": 0.7770542221796604}',4.5213993871584534645e-05);
INSERT INTO "hippo_step" VALUES(1,5,4,1,'check',5,'{}',5.8180400810670107603e-04);
INSERT INTO "hippo_step" VALUES(1,5,5,0,'first',5,'{"slope": 1.2119303775259596}',5.00330061186105e-05);
INSERT INTO "hippo_step" VALUES(1,5,6,0,'first',5,'{"slope": 0.9085728529513986}',3.77399992430582642555e-05);
INSERT INTO "hippo_step" VALUES(1,5,7,0,'first',5,'{"slope": 1.0616997260836607}',3.40430124197155237197e-05);
INSERT INTO "hippo_step" VALUES(1,5,8,0,'first',5,'{"slope": 1.0554653390836866}',3.33720090566203e-05);
INSERT INTO "hippo_step" VALUES(1,6,1,0,'first',5,'{"slope": 2.1684074606012884}',1.09202999738045036792e-04);
INSERT INTO "hippo_step" VALUES(1,6,2,0,'first',5,'{"slope": 1.9763453906460395}',5.1335009629838168621e-05);
INSERT INTO "hippo_step" VALUES(1,6,3,0,'first',5,'{"slope": 1.4990607306732788}',3.54160001734271645545e-05);
INSERT INTO "hippo_step" VALUES(1,1,1,2,'evicted',5,'{"slope": 2.1684074606012884}',1.18801995995454490184e-04);
INSERT INTO "hippo_step" VALUES(1,1,2,2,'evicted',5,'{"slope": 1.8679250176159752}',4.24790050601586699485e-05);
INSERT INTO "hippo_step" VALUES(1,1,3,0,'first',5,'{"slope": 1.3420154640279898}',3.32120107486844062805e-05);
INSERT INTO "hippo_step" VALUES(1,1,4,0,'first',5,'{"slope": 0.5107605324678836}',3.2992000342346727848e-05);
INSERT INTO "hippo_step" VALUES(1,2,1,1,'evicted',5,'{"slope": 2.1684074606012884}',6.7686996771954e-05);
INSERT INTO "hippo_step" VALUES(1,2,2,1,'evicted',5,'{"slope": 2.301606509736233}',3.94739909097552299499e-05);
INSERT INTO "hippo_step" VALUES(1,2,3,0,'first',5,'{"slope": 2.028646979470856}',3.45149892382323741912e-05);
INSERT INTO "hippo_step" VALUES(1,2,4,0,'first',5,'{"slope": 1.3850306932188248}',3.32220079144462943077e-05);
INSERT INTO "hippo_step" VALUES(1,3,1,1,'evicted',5,'{"slope": 2.1684074606012884}',6.63940008962526917457e-05);
INSERT INTO "hippo_step" VALUES(1,3,2,1,'evicted',5,'{"slope": 2.0847657636761037}',3.66190070053562521934e-05);
INSERT INTO "hippo_step" VALUES(1,3,3,0,'first',5,'{"slope": 1.6658477387955193}',3.49949987139552831649e-05);
INSERT INTO "hippo_step" VALUES(1,3,4,0,'first',5,'{"slope": 0.8721170592481295}',3.44539876095950603485e-05);
INSERT INTO "hippo_step" VALUES(2,4,1,0,'first',6,'{"slope": 1.8204734693921991}',1.12669993541203439235e-04);
INSERT INTO "hippo_step" VALUES(2,4,2,0,'first',6,'{"slope": 0.17591240296894667}',6.10529968980699777603e-05);
INSERT INTO "hippo_step" VALUES(1,7,1,0,'first',6,'{"slope": 2.1684074606012884}',1.14342998131178319454e-04);
INSERT INTO "hippo_step" VALUES(1,7,2,0,'first',6,'{"slope": 0.783721287315331}',7.17340008122846484184e-05);
INSERT INTO "hippo_step" VALUES(2,4,3,0,'first',6,'{"slope": 0.19964804697841}',7.12440087227150797843e-05);
INSERT INTO "hippo_step" VALUES(2,4,4,0,'first',6,'{"slope": 0.2962732235604226}',4.56340058008208870887e-05);
INSERT INTO "hippo_step" VALUES(2,4,4,1,'check',6,'{}',8.6525300866924226284e-04);
INSERT INTO "hippo_step" VALUES(1,7,3,0,'first',6,'{"slope": 0.3073585788074452}',1.00817997008562088012e-04);
INSERT INTO "hippo_step" VALUES(1,7,4,0,'first',6,'{"slope": 0.5780884852738262}',3.74399969587102532386e-05);
INSERT INTO "hippo_step" VALUES(2,5,1,0,'first',6,'{"slope": 1.8204734693921991}',8.48079944262281e-05);
INSERT INTO "hippo_step" VALUES(2,5,2,0,'first',6,'{"slope": 0.2847570866985527}',6.35879987385124e-05);
INSERT INTO "hippo_step" VALUES(1,8,1,0,'first',6,'{"slope": 2.1684074606012884}',9.70710098044946789741e-05);
INSERT INTO "hippo_step" VALUES(1,8,2,0,'first',6,'{"slope": 1.00056203337546}',6.10440038144588470458e-05);
INSERT INTO "hippo_step" VALUES(2,6,1,0,'first',6,'{"slope": 1.8204734693921991}',8.83350003277883e-05);
INSERT INTO "hippo_step" VALUES(2,6,2,0,'first',6,'{"slope": 0.4668044336377725}',4.21889999415725469589e-05);
INSERT INTO "hippo_step" VALUES(1,9,1,0,'first',6,'{"slope": 2.1684074606012884}',6.21859944658353924751e-05);
INSERT INTO "hippo_step" VALUES(1,9,2,0,'first',6,'{"slope": 1.2174027794355886}',4.67069912701845169067e-05);
INSERT INTO "hippo_step" VALUES(2,7,1,0,'first',6,'{"slope": 1.8204734693921991}',6.59130018902942538261e-05);
INSERT INTO "hippo_step" VALUES(2,7,2,0,'first',6,'{"slope": 0.6488517805769927}',3.81919962819665670394e-05);
INSERT INTO "hippo_step" VALUES(1,10,1,0,'first',6,'{"slope": 2.1684074606012884}',6.33580057183280587196e-05);
INSERT INTO "hippo_step" VALUES(1,10,2,0,'first',6,'{"slope": 1.4342435254957175}',3.7018995499238371849e-05);
INSERT INTO "hippo_step" VALUES(2,7,3,0,'first',6,'{"slope": 0.26603935669580697}',5.96409954596310853958e-05);
INSERT INTO "hippo_step" VALUES(2,7,4,0,'first',6,'{"slope": 0.4132885434353006}',3.6256999010220170021e-05);
INSERT INTO "hippo_step" VALUES(1,10,3,0,'first',6,'{"slope": 0.8112518122163512}',6.05730019742623e-05);
INSERT INTO "hippo_step" VALUES(1,10,4,0,'first',6,'{"slope": 0.27385489401289265}',3.82209982490167e-05);
INSERT INTO "hippo_step" VALUES(2,8,1,0,'first',6,'{"slope": 1.8204734693921991}',6.62929960526526e-05);
INSERT INTO "hippo_step" VALUES(2,8,2,0,'first',6,'{"slope": 0.8308991275162125}',3.93329974031075835227e-05);
INSERT INTO "hippo_step" VALUES(1,11,1,0,'first',6,'{"slope": 2.1684074606012884}',6.18149933870881795883e-05);
INSERT INTO "hippo_step" VALUES(1,11,2,0,'first',6,'{"slope": 1.6510842715558463}',3.70890047634020447731e-05);
INSERT INTO "hippo_step" VALUES(2,3,1,1,'evicted',6,'{"slope": 1.8204734693921991}',6.20060018263757228851e-05);
INSERT INTO "hippo_step" VALUES(2,3,2,1,'evicted',6,'{"slope": 1.1949938213946525}',3.72399954358115792274e-05);
INSERT INTO "hippo_step" VALUES(2,3,3,0,'first',6,'{"slope": 0.8976085235230326}',3.29520116792991757392e-05);
INSERT INTO "hippo_step" VALUES(2,3,4,0,'first',6,'{"slope": 0.8597683039618846}',3.229000139981508255e-05);
INSERT INTO "hippo_step" VALUES(2,9,1,0,'first',6,'{"slope": 1.8204734693921991}',9.27430082811042666435e-05);
INSERT INTO "hippo_step" VALUES(2,9,2,0,'first',6,'{"slope": 1.0129464744554326}',4.02150035370141267776e-05);
INSERT INTO "hippo_step" VALUES(2,10,3,0,'first',6,'{"slope": 0.6506759985261135}',8.40570137370377779006e-05);
INSERT INTO "hippo_step" VALUES(2,10,3,1,'check',6,'{}',6.54540999676100909709e-04);
INSERT INTO "hippo_step" VALUES(2,10,4,0,'first',6,'{"slope": 0.8045858496192188}',5.1705996156670153141e-05);
INSERT INTO "hippo_step" VALUES(2,10,5,0,'first',6,'{"slope": 1.2220253407422799}',4.92719991598278284072e-05);
INSERT INTO "hippo_step" VALUES(2,10,6,0,'first',6,'{"slope": 0.7296420188318229}',3.72000067727640271186e-05);
INSERT INTO "hippo_step" VALUES(2,10,7,0,'first',6,'{"slope": 0.5455514725110924}',3.35130025632679462432e-05);
INSERT INTO "hippo_step" VALUES(2,10,8,0,'first',6,'{"slope": 0.6166260104939352}',3.85719904443249106407e-05);
INSERT INTO "hippo_step" VALUES(2,11,1,0,'first',6,'{"slope": 1.8204734693921991}',8.51689983392134308815e-05);
INSERT INTO "hippo_step" VALUES(2,11,2,0,'first',6,'{"slope": 1.1039701479250426}',4.62960015283897519111e-05);
INSERT INTO "hippo_step" VALUES(2,11,3,0,'first',6,'{"slope": 0.7695910773510926}',4.16180118918418884277e-05);
INSERT INTO "hippo_step" VALUES(3,1,1,0,'first',7,'{"slope": 2.7900312967625474}',8.65109905134886503219e-05);
INSERT INTO "hippo_step" VALUES(3,1,2,0,'first',7,'{"slope": 1.947715775360734}',4.41829906776547431945e-05);
INSERT INTO "hippo_step" VALUES(3,1,2,1,'check',7,'{}',6.05038505455013364553e-04);
INSERT INTO "hippo_step" VALUES(3,1,1,1,'check',7,'{}',6.05038505455013364553e-04);
INSERT INTO "hippo_step" VALUES(3,2,3,0,'first',7,'{"slope": 1.214479865716606}',8.06800089776516e-05);
INSERT INTO "hippo_step" VALUES(3,2,3,1,'check',7,'{}',5.8259599609300494194e-04);
INSERT INTO "hippo_step" VALUES(3,2,4,0,'first',7,'{"slope": 0.7692247244424143}',4.33210079791024327278e-05);
INSERT INTO "hippo_step" VALUES(3,2,5,0,'first',7,'{"slope": 0.8496178021757814}',3.55059892171993851661e-05);
INSERT INTO "hippo_step" VALUES(3,2,6,0,'first',7,'{"slope": 0.8890471612377592}',3.50860063917934894561e-05);
INSERT INTO "hippo_step" VALUES(3,2,6,1,'check',7,'{}',5.91512987739406526088e-04);
INSERT INTO "hippo_step" VALUES(4,1,1,0,'first',7,'{"slope": 3.052415687658902}',7.6992990216240286827e-05);
INSERT INTO "hippo_step" VALUES(4,1,2,0,'first',7,'{"slope": 2.157956608520416}',4.13670059060677886009e-05);
INSERT INTO "hippo_step" VALUES(4,1,2,1,'check',7,'{}',6.03053493250627070665e-04);
INSERT INTO "hippo_step" VALUES(4,1,1,1,'check',7,'{}',6.03053493250627070665e-04);
INSERT INTO "hippo_step" VALUES(4,2,3,0,'first',7,'{"slope": 1.2398720270953068}',7.70830083638429641723e-05);
INSERT INTO "hippo_step" VALUES(4,2,3,1,'check',7,'{}',5.80321997404098510742e-04);
INSERT INTO "hippo_step" VALUES(4,2,4,0,'first',7,'{"slope": 1.174541855544692}',4.35620022471994161605e-05);
INSERT INTO "hippo_step" VALUES(4,2,5,0,'first',7,'{"slope": 0.9734936107542089}',3.50050104316324e-05);
INSERT INTO "hippo_step" VALUES(4,2,6,0,'first',7,'{"slope": 1.0038806833528109}',3.52460046997293829917e-05);
INSERT INTO "hippo_step" VALUES(4,2,6,1,'check',7,'{}',5.87133996305055916309e-04);
INSERT INTO "hippo_step" VALUES(5,1,1,0,'first',7,'{"slope": 1.9163847102518394}',7.6883996371179819107e-05);
INSERT INTO "hippo_step" VALUES(5,1,2,0,'first',7,'{"slope": 1.6931119550395772}',4.23690071329474449157e-05);
INSERT INTO "hippo_step" VALUES(5,1,2,1,'check',7,'{}',6.22902000031899660825e-04);
INSERT INTO "hippo_step" VALUES(5,1,1,1,'check',7,'{}',6.22902000031899660825e-04);
INSERT INTO "hippo_step" VALUES(5,2,3,0,'first',7,'{"slope": 1.023953754646024}',7.82849965617060661315e-05);
INSERT INTO "hippo_step" VALUES(5,2,3,1,'check',7,'{}',1.29665699205361306667e-03);
INSERT INTO "hippo_step" VALUES(5,2,4,0,'first',7,'{"slope": 0.8705306691782584}',5.02729963045567274093e-05);
INSERT INTO "hippo_step" VALUES(5,2,5,0,'first',7,'{"slope": 0.6712956490741686}',3.55769880115985870361e-05);
INSERT INTO "hippo_step" VALUES(5,2,6,0,'first',7,'{"slope": 0.5026916663445289}',3.5636010579764842987e-05);
INSERT INTO "hippo_step" VALUES(5,2,6,1,'check',7,'{}',6.00340019445866346359e-04);
INSERT INTO "hippo_step" VALUES(5,1,3,0,'first',7,'{"slope": 1.023953754646024}',5.66550006624311208724e-05);
INSERT INTO "hippo_step" VALUES(5,3,4,0,'first',7,'{"slope": 0.7169376059813548}',6.55119947623461484909e-05);
INSERT INTO "hippo_step" VALUES(5,3,5,0,'first',7,'{"slope": 0.5407415453568005}',3.42729908879846334457e-05);
INSERT INTO "hippo_step" VALUES(5,3,6,0,'first',7,'{"slope": 0.391720678184766}',3.42330022249370813369e-05);
INSERT INTO "hippo_step" VALUES(3,1,3,0,'first',7,'{"slope": 1.214479865716606}',5.6885997764766216278e-05);
INSERT INTO "hippo_step" VALUES(3,3,4,0,'first',7,'{"slope": 0.5870527445849235}',6.54220057185739278793e-05);
INSERT INTO "hippo_step" VALUES(3,3,5,0,'first',7,'{"slope": 0.6947716192969142}',3.38630052283406257629e-05);
INSERT INTO "hippo_step" VALUES(3,3,6,0,'first',7,'{"slope": 0.757427905790722}',3.28909954987466335296e-05);
INSERT INTO "hippo_step" VALUES(4,1,3,0,'first',7,'{"slope": 1.2398720270953068}',5.51629927940666675567e-05);
INSERT INTO "hippo_step" VALUES(4,3,4,0,'first',7,'{"slope": 0.9909663274832055}',6.34090101812034845352e-05);
INSERT INTO "hippo_step" VALUES(4,3,5,0,'first',7,'{"slope": 0.8174544119019451}',3.3623000490479171276e-05);
INSERT INTO "hippo_step" VALUES(4,3,6,0,'first',7,'{"slope": 0.8712473643283868}',3.21000115945935249328e-05);
INSERT INTO "hippo_step" VALUES(3,1,3,1,'not kept',7,'{"slope": 1.214479865716606}',6.14539894741028547286e-05);
INSERT INTO "hippo_step" VALUES(3,1,4,0,'first',7,'{"slope": 0.5870527445849235}',3.65989981219172477722e-05);
INSERT INTO "hippo_step" VALUES(3,4,5,0,'first',7,'{"slope": 0.6067137076091758}',7.14429916115477681159e-05);
INSERT INTO "hippo_step" VALUES(3,4,6,0,'first',7,'{"slope": 0.6825786808561444}',3.39730031555518507957e-05);
INSERT INTO "hippo_step" VALUES(4,1,3,1,'not kept',7,'{"slope": 1.2398720270953068}',6.07629917794838547706e-05);
INSERT INTO "hippo_step" VALUES(4,1,4,0,'first',7,'{"slope": 0.9909663274832055}',3.64879961125552654266e-05);
INSERT INTO "hippo_step" VALUES(4,4,5,0,'first',7,'{"slope": 0.6688094627794644}',6.17449986748397350311e-05);
INSERT INTO "hippo_step" VALUES(4,4,6,0,'first',7,'{"slope": 0.744899157574278}',3.22100095218047499656e-05);
INSERT INTO "hippo_step" VALUES(5,1,3,1,'not kept',7,'{"slope": 1.023953754646024}',5.94099983572959899902e-05);
INSERT INTO "hippo_step" VALUES(5,1,4,0,'first',7,'{"slope": 0.7169376059813548}',1.51702799485065042972e-03);
INSERT INTO "hippo_step" VALUES(5,4,5,0,'first',7,'{"slope": 0.4332009044595973}',6.82870013406500220298e-05);
INSERT INTO "hippo_step" VALUES(5,4,6,0,'first',7,'{"slope": 0.30031113342214333}',3.37130040861666202545e-05);
INSERT INTO "hippo_step" VALUES(5,1,3,2,'not kept',7,'{"slope": 1.023953754646024}',5.96919999225065112113e-05);
INSERT INTO "hippo_step" VALUES(5,1,4,1,'not kept',7,'{"slope": 0.7169376059813548}',3.6006997106596827507e-05);
INSERT INTO "hippo_step" VALUES(5,1,5,0,'first',7,'{"slope": 0.4332009044595973}',3.25810106005519628524e-05);
INSERT INTO "hippo_step" VALUES(5,5,6,0,'first',7,'{"slope": 0.24288183436809763}',7.2084993007592856884e-05);
INSERT INTO "hippo_step" VALUES(4,1,3,2,'not kept',7,'{"slope": 1.2398720270953068}',5.83189976168796420097e-05);
INSERT INTO "hippo_step" VALUES(4,1,4,1,'not kept',7,'{"slope": 0.9909663274832055}',3.58069955836981534957e-05);
INSERT INTO "hippo_step" VALUES(4,1,5,0,'first',7,'{"slope": 0.6688094627794644}',3.1789008062332868576e-05);
INSERT INTO "hippo_step" VALUES(4,5,6,0,'first',7,'{"slope": 0.6445777381573585}',7.1572998422198e-05);
INSERT INTO "hippo_step" VALUES(3,1,5,0,'first',7,'{"slope": 0.6067137076091758}',5.80480118514969944953e-05);
INSERT INTO "hippo_step" VALUES(3,5,6,0,'first',7,'{"slope": 0.591571624714768}',6.40889920759946107864e-05);
INSERT INTO "hippo_step" VALUES(5,6,1,0,'first',7,'{"slope": 1.9163847102518394}',9.51669935602694749832e-05);
INSERT INTO "hippo_step" VALUES(5,6,2,0,'first',7,'{"slope": 1.6931119550395772}',4.84699994558468461036e-05);
INSERT INTO "hippo_step" VALUES(5,6,3,0,'first',7,'{"slope": 1.0239537546460238}',4.20480064349249e-05);
INSERT INTO "hippo_step" VALUES(5,6,4,0,'first',7,'{"slope": 0.7169376059813546}',3.27710004057735204696e-05);
INSERT INTO "hippo_step" VALUES(5,7,1,0,'first',7,'{"slope": 1.9163847102518394}',6.75060000503435730934e-05);
INSERT INTO "hippo_step" VALUES(5,7,2,0,'first',7,'{"slope": 2.076388897089945}',3.73989896615967154502e-05);
INSERT INTO "hippo_step" VALUES(5,7,3,0,'first',7,'{"slope": 1.7075253934992702}',3.30120092257857322692e-05);
INSERT INTO "hippo_step" VALUES(5,7,4,0,'first',7,'{"slope": 1.5369428318784812}',3.40739934472367167472e-05);
INSERT INTO "hippo_step" VALUES(5,8,1,0,'first',7,'{"slope": 1.9163847102518394}',6.8998997448943555355e-05);
INSERT INTO "hippo_step" VALUES(5,8,2,0,'first',7,'{"slope": 1.8847504260647612}',3.70399939129129052162e-05);
INSERT INTO "hippo_step" VALUES(5,8,3,0,'first',7,'{"slope": 1.3465757269701288}',3.2551004551351070404e-05);
INSERT INTO "hippo_step" VALUES(5,8,4,0,'first',7,'{"slope": 1.0774305593052411}',3.12580086756497621536e-05);
INSERT INTO "hippo_step" VALUES(3,6,1,0,'first',7,'{"slope": 2.7900312967625474}',6.52309972792863845825e-05);
INSERT INTO "hippo_step" VALUES(3,6,2,0,'first',7,'{"slope": 1.947715775360734}',3.65980085916817188262e-05);
INSERT INTO "hippo_step" VALUES(3,6,3,0,'first',7,'{"slope": 1.2144798657166056}',3.27610032400116324424e-05);
INSERT INTO "hippo_step" VALUES(3,6,4,0,'first',7,'{"slope": 0.5870527445849232}',3.20800027111545205116e-05);
INSERT INTO "hippo_step" VALUES(3,7,1,0,'first',7,'{"slope": 2.7900312967625474}',6.27069966867566108703e-05);
INSERT INTO "hippo_step" VALUES(3,7,2,0,'first',7,'{"slope": 2.5057220347132434}',3.66580061381682753562e-05);
INSERT INTO "hippo_step" VALUES(3,7,3,0,'first',7,'{"slope": 2.106228654206011}',3.24010034091770648956e-05);
INSERT INTO "hippo_step" VALUES(3,7,4,0,'first',7,'{"slope": 1.6325226273687092}',3.37329984176903963088e-05);
INSERT INTO "hippo_step" VALUES(3,8,1,0,'first',7,'{"slope": 2.7900312967625474}',1.02941994555294513702e-04);
INSERT INTO "hippo_step" VALUES(3,8,2,0,'first',7,'{"slope": 2.2267189050369884}',6.0983991716057062149e-05);
INSERT INTO "hippo_step" VALUES(3,8,3,0,'first',7,'{"slope": 1.632453946993683}',6.31370057817548513412e-05);
INSERT INTO "hippo_step" VALUES(3,8,4,0,'first',7,'{"slope": 1.0428799961782456}',6.03620137553662061691e-05);
INSERT INTO "hippo_step" VALUES(4,6,1,0,'first',7,'{"slope": 3.052415687658902}',9.18620062293484807014e-05);
INSERT INTO "hippo_step" VALUES(4,6,2,0,'first',7,'{"slope": 2.157956608520416}',5.65249938517808914184e-05);
INSERT INTO "hippo_step" VALUES(4,6,3,0,'first',7,'{"slope": 1.2398720270953068}',5.46319934073835611343e-05);
INSERT INTO "hippo_step" VALUES(4,6,4,0,'first',7,'{"slope": 0.9909663274832052}',5.28390082763507962226e-05);
INSERT INTO "hippo_step" VALUES(4,7,1,0,'first',7,'{"slope": 3.052415687658902}',6.51320005999878e-05);
INSERT INTO "hippo_step" VALUES(4,7,2,0,'first',7,'{"slope": 2.7684397460521963}',3.69680055882781744003e-05);
INSERT INTO "hippo_step" VALUES(4,7,3,0,'first',7,'{"slope": 2.2048629992259308}',3.23909916914999485015e-05);
INSERT INTO "hippo_step" VALUES(4,7,4,0,'first',7,'{"slope": 2.1186572291662715}',3.22499981848523e-05);
INSERT INTO "hippo_step" VALUES(4,8,1,0,'first',7,'{"slope": 3.052415687658902}',6.34089956292882561683e-05);
INSERT INTO "hippo_step" VALUES(4,8,2,0,'first',7,'{"slope": 2.463198177286306}',3.5897013731300830841e-05);
INSERT INTO "hippo_step" VALUES(4,8,3,0,'first',7,'{"slope": 1.683825769607999}',3.18489910569042e-05);
INSERT INTO "hippo_step" VALUES(4,8,4,0,'first',7,'{"slope": 1.481341145549333}',3.17990052280947566032e-05);
INSERT INTO "hippo_step" VALUES(6,1,1,0,'first',8,'{"slope": 2.1684074606012884}',8.3435996202752e-05);
INSERT INTO "hippo_step" VALUES(6,1,2,0,'first',8,'{"slope": 1.8679250176159752}',4.60559967905283e-05);
INSERT INTO "hippo_step" VALUES(6,1,2,1,'check',8,'{}',6.06541005254257470369e-04);
INSERT INTO "hippo_step" VALUES(6,1,1,1,'check',8,'{}',6.06541005254257470369e-04);
INSERT INTO "hippo_step" VALUES(6,2,3,0,'first',8,'{"slope": 1.34201546402799}',7.78649991843849420547e-05);
INSERT INTO "hippo_step" VALUES(6,2,3,1,'check',8,'{}',5.70905001950450241565e-04);
INSERT INTO "hippo_step" VALUES(6,2,4,0,'first',8,'{"slope": 0.6407135808954549}',4.18179988628253340721e-05);
INSERT INTO "hippo_step" VALUES(6,2,5,0,'first',8,'{"slope": 1.0027943257728258}',3.43639985658228397369e-05);
INSERT INTO "hippo_step" VALUES(6,2,6,0,'first',8,'{"slope": 0.5853755636581198}',3.43540014000609517097e-05);
INSERT INTO "hippo_step" VALUES(6,2,6,1,'check',8,'{}',5.72839009691961109638e-04);
INSERT INTO "hippo_step" VALUES(7,1,1,0,'first',8,'{"slope": 1.8204734693921991}',7.96690001152455806732e-05);
INSERT INTO "hippo_step" VALUES(7,1,2,0,'first',8,'{"slope": 1.0129464744554326}',4.15380054619163274765e-05);
INSERT INTO "hippo_step" VALUES(7,1,2,1,'check',8,'{}',5.82836000830866396427e-04);
INSERT INTO "hippo_step" VALUES(7,1,1,1,'check',8,'{}',5.82836000830866396427e-04);
INSERT INTO "hippo_step" VALUES(7,2,3,0,'first',8,'{"slope": 0.6506759985261135}',7.81959970481693744659e-05);
INSERT INTO "hippo_step" VALUES(7,2,3,1,'check',8,'{}',6.0783300432376563549e-04);
INSERT INTO "hippo_step" VALUES(7,2,4,0,'first',8,'{"slope": 0.7401767771860555}',4.48640057584270834922e-05);
INSERT INTO "hippo_step" VALUES(7,2,5,0,'first',8,'{"slope": 1.0691183361208285}',3.47850000252947211265e-05);
INSERT INTO "hippo_step" VALUES(7,2,6,0,'first',8,'{"slope": 0.49019393919559034}',3.38629906764254e-05);
INSERT INTO "hippo_step" VALUES(7,2,6,1,'check',8,'{}',5.92343014432117342948e-04);
INSERT INTO "hippo_step" VALUES(6,3,1,0,'first',8,'{"slope": 2.1684074606012884}',6.42399973003193736076e-05);
INSERT INTO "hippo_step" VALUES(6,3,2,0,'first',8,'{"slope": 1.8679250176159752}',3.6757992347702383995e-05);
INSERT INTO "hippo_step" VALUES(6,3,3,0,'first',8,'{"slope": 1.34201546402799}',3.32619965774938464164e-05);
INSERT INTO "hippo_step" VALUES(6,4,4,0,'first',8,'{"slope": 0.5107605324678837}',7.85669981269165873527e-05);
INSERT INTO "hippo_step" VALUES(6,4,5,0,'first',8,'{"slope": 0.8579323944083574}',3.59770056093111634254e-05);
INSERT INTO "hippo_step" VALUES(6,4,6,0,'first',8,'{"slope": 0.46224292199832184}',5.4853007895872e-05);
INSERT INTO "hippo_step" VALUES(7,3,1,0,'first',8,'{"slope": 1.8204734693921991}',6.37499906588345766067e-05);
INSERT INTO "hippo_step" VALUES(7,3,2,0,'first',8,'{"slope": 1.0129464744554326}',3.75999952666461467742e-05);
INSERT INTO "hippo_step" VALUES(7,3,3,0,'first',8,'{"slope": 0.6506759985261135}',3.29820031765848398208e-05);
INSERT INTO "hippo_step" VALUES(7,4,4,0,'first',8,'{"slope": 0.6596654366446015}',1.02220990811474621295e-04);
INSERT INTO "hippo_step" VALUES(7,4,5,0,'first',8,'{"slope": 0.9861571463087493}',4.03849990107119083404e-05);
INSERT INTO "hippo_step" VALUES(7,4,6,0,'first',8,'{"slope": 0.43202449565438983}',3.234999894630163908e-05);
INSERT INTO "hippo_step" VALUES(6,5,1,0,'first',8,'{"slope": 2.1684074606012884}',1.06478997622616589069e-04);
INSERT INTO "hippo_step" VALUES(6,5,2,0,'first',8,'{"slope": 1.8679250176159752}',3.80309938918799161911e-05);
INSERT INTO "hippo_step" VALUES(6,5,3,0,'first',8,'{"slope": 1.34201546402799}',3.1898991437628865242e-05);
INSERT INTO "hippo_step" VALUES(6,5,4,0,'first',8,'{"slope": 0.5107605324678837}',3.18789971061050891876e-05);
INSERT INTO "hippo_step" VALUES(6,6,5,0,'first',8,'{"slope": 0.7873892275148278}',7.15030037099495530128e-05);
INSERT INTO "hippo_step" VALUES(6,6,6,0,'first',8,'{"slope": 0.40228123013882156}',3.62370046786963939666e-05);
INSERT INTO "hippo_step" VALUES(7,5,1,0,'first',8,'{"slope": 1.8204734693921991}',6.09429989708587527275e-05);
INSERT INTO "hippo_step" VALUES(7,5,2,0,'first',8,'{"slope": 1.0129464744554326}',3.60279955202713608741e-05);
INSERT INTO "hippo_step" VALUES(7,5,3,0,'first',8,'{"slope": 0.6506759985261135}',3.17989906761795282363e-05);
INSERT INTO "hippo_step" VALUES(7,5,4,0,'first',8,'{"slope": 0.6596654366446015}',3.16090008709579706192e-05);
INSERT INTO "hippo_step" VALUES(7,6,5,0,'first',8,'{"slope": 0.9043369582843224}',7.02609977452084422111e-05);
INSERT INTO "hippo_step" VALUES(7,6,6,0,'first',8,'{"slope": 0.3479171524822031}',3.29509930452331900596e-05);
INSERT INTO "hippo_step" VALUES(6,7,1,0,'first',8,'{"slope": 2.1684074606012884}',6.18449994362890720367e-05);
INSERT INTO "hippo_step" VALUES(6,7,2,0,'first',8,'{"slope": 1.8679250176159752}',3.70490015484392642974e-05);
INSERT INTO "hippo_step" VALUES(6,7,3,0,'first',8,'{"slope": 1.34201546402799}',6.0161997680552303791e-05);
INSERT INTO "hippo_step" VALUES(6,7,4,0,'first',8,'{"slope": 0.5107605324678837}',3.6899000406265258789e-05);
INSERT INTO "hippo_step" VALUES(6,7,5,0,'first',8,'{"slope": 0.7873892275148278}',3.20299877785146236419e-05);
INSERT INTO "hippo_step" VALUES(6,8,6,0,'first',8,'{"slope": 0.2841728460115974}',7.04510021023452281951e-05);
INSERT INTO "hippo_step" VALUES(7,7,1,0,'first',8,'{"slope": 1.8204734693921991}',1.17699004476889967918e-04);
INSERT INTO "hippo_step" VALUES(7,7,2,0,'first',8,'{"slope": 1.0129464744554326}',3.66479944204911589622e-05);
INSERT INTO "hippo_step" VALUES(7,7,3,0,'first',8,'{"slope": 0.6506759985261135}',3.1920004403218626976e-05);
INSERT INTO "hippo_step" VALUES(7,7,4,0,'first',8,'{"slope": 0.6596654366446015}',3.07169975712895393371e-05);
INSERT INTO "hippo_step" VALUES(7,7,5,0,'first',8,'{"slope": 0.9043369582843224}',3.04870045511052e-05);
INSERT INTO "hippo_step" VALUES(7,8,6,0,'first',8,'{"slope": 0.25716356257647643}',6.79969962220639e-05);
INSERT INTO "hippo_step" VALUES(6,9,1,0,'first',8,'{"slope": 2.1684074606012884}',7.74340005591511726379e-05);
INSERT INTO "hippo_step" VALUES(6,9,2,0,'first',8,'{"slope": 1.8679250176159752}',3.90729983337223529815e-05);
INSERT INTO "hippo_step" VALUES(6,10,3,0,'first',8,'{"slope": 1.34201546402799}',6.71349989715963602066e-05);
INSERT INTO "hippo_step" VALUES(6,10,4,0,'first',8,'{"slope": 0.7770542221796604}',3.42339917551726102828e-05);
INSERT INTO "hippo_step" VALUES(6,10,5,0,'first',8,'{"slope": 1.2119303775259596}',3.29120084643363952636e-05);
INSERT INTO "hippo_step" VALUES(6,10,6,0,'first',8,'{"slope": 0.9085728529513986}',3.41730046784505248069e-05);
INSERT INTO "hippo_step" VALUES(6,11,1,0,'first',8,'{"slope": 2.1684074606012884}',6.38589990558102726936e-05);
INSERT INTO "hippo_step" VALUES(6,11,2,0,'first',8,'{"slope": 1.8679250176159752}',3.70589987142011523246e-05);
INSERT INTO "hippo_step" VALUES(6,11,3,0,'first',8,'{"slope": 1.34201546402799}',8.18219996290281414985e-05);
INSERT INTO "hippo_step" VALUES(6,11,4,0,'first',8,'{"slope": 0.5107605324678837}',3.31020128214731812477e-05);
INSERT INTO "hippo_step" VALUES(6,12,5,0,'first',8,'{"slope": 0.7873892275148278}',6.42800005152821540832e-05);
INSERT INTO "hippo_step" VALUES(6,12,6,0,'first',8,'{"slope": 0.49676793744060094}',3.32719937432557344436e-05);
INSERT INTO "hippo_step" VALUES(6,13,1,0,'first',8,'{"slope": 2.1684074606012884}',6.28179986961185932159e-05);
INSERT INTO "hippo_step" VALUES(6,13,2,0,'first',8,'{"slope": 1.8679250176159752}',3.56559903593733906745e-05);
INSERT INTO "hippo_step" VALUES(6,13,3,0,'first',8,'{"slope": 1.34201546402799}',3.16389923682436347007e-05);
INSERT INTO "hippo_step" VALUES(6,13,4,0,'first',8,'{"slope": 0.5107605324678837}',3.1909003155305981636e-05);
INSERT INTO "hippo_step" VALUES(6,13,5,0,'first',8,'{"slope": 0.7873892275148278}',3.14089993480592966079e-05);
INSERT INTO "hippo_step" VALUES(6,13,6,0,'first',8,'{"slope": 0.2841728460115974}',3.12989868689328432083e-05);
INSERT INTO "hippo_step" VALUES(7,9,1,0,'first',8,'{"slope": 1.8204734693921991}',6.13849988440051674842e-05);
INSERT INTO "hippo_step" VALUES(7,9,2,0,'first',8,'{"slope": 1.0129464744554326}',3.71990026906132698059e-05);
INSERT INTO "hippo_step" VALUES(7,10,3,0,'first',8,'{"slope": 0.6506759985261135}',7.152400212362408638e-05);
INSERT INTO "hippo_step" VALUES(7,10,4,0,'first',8,'{"slope": 0.8045858496192188}',3.7709993193857371807e-05);
INSERT INTO "hippo_step" VALUES(7,10,5,0,'first',8,'{"slope": 1.2220253407422799}',5.97909966018050909042e-05);
INSERT INTO "hippo_step" VALUES(7,10,6,0,'first',8,'{"slope": 0.7296420188318229}',5.23780036019161343574e-05);
INSERT INTO "hippo_step" VALUES(7,11,1,0,'first',8,'{"slope": 1.8204734693921991}',6.19850034127011895179e-05);
INSERT INTO "hippo_step" VALUES(7,11,2,0,'first',8,'{"slope": 1.0129464744554326}',3.55960073648020625114e-05);
INSERT INTO "hippo_step" VALUES(7,11,3,0,'first',8,'{"slope": 0.6506759985261135}',3.2208990887738764286e-05);
INSERT INTO "hippo_step" VALUES(7,11,4,0,'first',8,'{"slope": 0.6596654366446015}',3.11180046992376446723e-05);
INSERT INTO "hippo_step" VALUES(7,12,5,0,'first',8,'{"slope": 0.9043369582843224}',6.0542995925061404705e-05);
INSERT INTO "hippo_step" VALUES(7,12,6,0,'first',8,'{"slope": 0.4205200244067845}',3.19899991154670715332e-05);
INSERT INTO "hippo_step" VALUES(7,13,1,0,'first',8,'{"slope": 1.8204734693921991}',9.97360039036721e-05);
INSERT INTO "hippo_step" VALUES(7,13,2,0,'first',8,'{"slope": 1.0129464744554326}',3.73590009985491633415e-05);
INSERT INTO "hippo_step" VALUES(7,13,3,0,'first',8,'{"slope": 0.6506759985261135}',3.25099972542375326156e-05);
INSERT INTO "hippo_step" VALUES(7,13,4,0,'first',8,'{"slope": 0.6596654366446015}',3.13179916702210903167e-05);
INSERT INTO "hippo_step" VALUES(7,13,5,0,'first',8,'{"slope": 0.9043369582843224}',3.26400040648877620697e-05);
INSERT INTO "hippo_step" VALUES(7,13,6,0,'first',8,'{"slope": 0.25716356257647643}',3.1980001949705183506e-05);
INSERT INTO "hippo_step" VALUES(8,1,1,0,'first',9,'{"slope": 2.1684074606012884}',8.72029922902584075927e-05);
INSERT INTO "hippo_step" VALUES(8,1,2,0,'first',9,'{"slope": 1.8679250176159752}',5.11060061398893594741e-05);
INSERT INTO "hippo_step" VALUES(8,1,2,1,'check',9,'{}',6.17446494288742542266e-04);
INSERT INTO "hippo_step" VALUES(8,1,1,1,'check',9,'{}',6.17446494288742542266e-04);
INSERT INTO "hippo_step" VALUES(8,1,3,0,'first',9,'{"slope": 1.3420154640279898}',4.40919975517317652702e-05);
INSERT INTO "hippo_step" VALUES(8,1,3,1,'check',9,'{}',0.000559773005079478);
INSERT INTO "hippo_step" VALUES(9,1,1,0,'first',9,'{"slope": 1.8204734693921991}',8.4858009358868e-05);
INSERT INTO "hippo_step" VALUES(9,1,2,0,'first',9,'{"slope": 1.0129464744554324}',4.49139915872365236282e-05);
INSERT INTO "hippo_step" VALUES(9,1,2,1,'check',9,'{}',0.000621643994236365);
INSERT INTO "hippo_step" VALUES(9,1,1,1,'check',9,'{}',0.000621643994236365);
INSERT INTO "hippo_step" VALUES(9,1,3,0,'first',9,'{"slope": 0.6506759985261132}',4.22190059907734394073e-05);
INSERT INTO "hippo_step" VALUES(9,1,3,1,'check',9,'{}',6.81901990901678800582e-04);
INSERT INTO "hippo_step" VALUES(8,2,1,0,'first',9,'{"slope": 2.1684074606012884}',6.35689939372241497039e-05);
INSERT INTO "hippo_step" VALUES(8,2,2,0,'first',9,'{"slope": 2.301606509736233}',4.18279960285872220993e-05);
INSERT INTO "hippo_step" VALUES(8,2,3,0,'first',9,'{"slope": 2.028646979470856}',3.38630052283406257629e-05);
INSERT INTO "hippo_step" VALUES(8,3,1,0,'first',9,'{"slope": 2.1684074606012884}',6.35390024399384856224e-05);
INSERT INTO "hippo_step" VALUES(9,2,1,0,'first',9,'{"slope": 1.8204734693921991}',6.50019937893375754356e-05);
INSERT INTO "hippo_step" VALUES(9,2,2,0,'first',9,'{"slope": 1.3770411683338724}',4.3331005144864320755e-05);
INSERT INTO "hippo_step" VALUES(9,2,3,0,'first',9,'{"slope": 1.180950517907796}',3.45650041708722710609e-05);
INSERT INTO "hippo_step" VALUES(9,3,1,0,'first',9,'{"slope": 1.8204734693921991}',6.19759957771748304367e-05);
INSERT INTO "hippo_step" VALUES(2,1,1,2,'evicted',12,'{"slope": 1.8204734693921991}',1.33939000079408288002e-04);
INSERT INTO "hippo_step" VALUES(2,1,2,2,'evicted',12,'{"slope": 1.0129464744554324}',4.43419994553551077842e-05);
INSERT INTO "hippo_step" VALUES(2,1,3,0,'first',12,'{"slope": 0.6506759985261132}',3.58359975507482886314e-05);
INSERT INTO "hippo_step" VALUES(2,2,1,1,'evicted',12,'{"slope": 1.8204734693921991}',1.15514994831755757331e-04);
INSERT INTO "hippo_step" VALUES(2,2,2,1,'evicted',12,'{"slope": 1.3770411683338724}',6.8617999204434454441e-05);
INSERT INTO "hippo_step" VALUES(2,2,3,0,'first',12,'{"slope": 1.180950517907796}',3.57169919880107045173e-05);
INSERT INTO "hippo_step" VALUES(10,1,1,0,'first',13,'{"slope": 2.4312602861125443}',8.81750020198524e-05);
INSERT INTO "hippo_step" VALUES(10,1,2,0,'first',13,'{"slope": 1.7388022736157291}',4.55150002380833e-05);
INSERT INTO "hippo_step" VALUES(10,1,2,1,'check',13,'{}',7.16611008101608604192e-04);
INSERT INTO "hippo_step" VALUES(10,1,1,1,'check',13,'{}',7.16611008101608604192e-04);
INSERT INTO "hippo_step" VALUES(10,1,3,0,'first',13,'{"slope": 0.9041005220283093}',4.64869954157620668411e-05);
INSERT INTO "hippo_step" VALUES(10,1,3,1,'check',13,'{}',7.09954008925706148147e-04);
INSERT INTO "hippo_step" VALUES(10,2,1,0,'first',13,'{"slope": 2.4312602861125443}',6.90779997967183589935e-05);
INSERT INTO "hippo_step" VALUES(10,2,2,0,'first',13,'{"slope": 2.2250543308382382}',4.0044003981165587902e-05);
INSERT INTO "hippo_step" VALUES(10,2,3,0,'first',13,'{"slope": 1.5593042028278457}',3.32019990310072898864e-05);
INSERT INTO "hippo_step" VALUES(10,3,1,0,'first',13,'{"slope": 2.4312602861125443}',6.32279989076778292655e-05);
INSERT INTO "hippo_step" VALUES(10,3,2,0,'first',13,'{"slope": 1.9819283022269838}',3.74800001736730337142e-05);
INSERT INTO "hippo_step" VALUES(10,3,3,0,'first',13,'{"slope": 1.1422979468550178}',3.29419999616220593452e-05);
INSERT INTO "hippo_step" VALUES(11,1,1,0,'first',14,'{"slope": 2.1684074606012884}',1.06687992229126393795e-04);
INSERT INTO "hippo_step" VALUES(11,1,2,0,'first',14,'{"slope": 1.8679250176159752}',5.57339953957125544548e-05);
INSERT INTO "hippo_step" VALUES(11,1,2,1,'check',14,'{}',8.82089501828886568546e-04);
INSERT INTO "hippo_step" VALUES(11,1,1,1,'check',14,'{}',8.82089501828886568546e-04);
INSERT INTO "hippo_step" VALUES(11,1,3,0,'first',14,'{"slope": 1.3420154640279898}',5.53629943169653415679e-05);
INSERT INTO "hippo_step" VALUES(11,1,3,1,'check',14,'{}',8.14348997664637863636e-04);
INSERT INTO "hippo_step" VALUES(11,2,1,0,'first',14,'{"slope": 2.1684074606012884}',9.01479943422600626945e-05);
INSERT INTO "hippo_step" VALUES(11,2,2,0,'first',14,'{"slope": 2.301606509736233}',4.73280088044703e-05);
INSERT INTO "hippo_step" VALUES(11,2,3,0,'first',14,'{"slope": 2.028646979470856}',4.12970111938193440437e-05);
INSERT INTO "hippo_step" VALUES(11,3,1,0,'first',14,'{"slope": 2.1684074606012884}',7.93280050856992602348e-05);
INSERT INTO "hippo_step" VALUES(11,3,2,0,'first',14,'{"slope": 2.0847657636761037}',4.73179970867931842803e-05);
INSERT INTO "hippo_step" VALUES(11,3,3,0,'first',14,'{"slope": 1.6658477387955193}',4.27499908255413174629e-05);
INSERT INTO "hippo_step" VALUES(12,1,1,0,'first',15,'{"slope": 1.8204734693921991}',1.03824000689201056957e-04);
INSERT INTO "hippo_step" VALUES(12,1,2,0,'first',15,'{"slope": 1.0129464744554324}',3.99749987991526722908e-05);
INSERT INTO "hippo_step" VALUES(12,1,2,1,'check',15,'{}',5.88557493756525218486e-04);
INSERT INTO "hippo_step" VALUES(12,1,1,1,'check',15,'{}',5.88557493756525218486e-04);
INSERT INTO "hippo_step" VALUES(12,1,3,0,'first',15,'{"slope": 0.6506759985261132}',4.12869994761422276496e-05);
INSERT INTO "hippo_step" VALUES(12,1,3,1,'check',15,'{}',5.46909010154195129871e-04);
INSERT INTO "hippo_step" VALUES(12,2,1,0,'first',15,'{"slope": 1.8204734693921991}',8.05999879958108e-05);
INSERT INTO "hippo_step" VALUES(12,2,2,0,'first',15,'{"slope": 1.3770411683338724}',4.23190067522227764129e-05);
INSERT INTO "hippo_step" VALUES(12,2,3,0,'first',15,'{"slope": 1.180950517907796}',3.32720082951709628105e-05);
INSERT INTO "hippo_step" VALUES(12,3,1,0,'first',15,'{"slope": 1.8204734693921991}',6.275701161939650774e-05);
INSERT INTO "hippo_step" VALUES(12,3,2,0,'first',15,'{"slope": 1.1949938213946525}',3.62169957952573895454e-05);
INSERT INTO "hippo_step" VALUES(12,3,3,0,'first',15,'{"slope": 0.8976085235230326}',3.25599976349622e-05);
CREATE TABLE hippo_study (
	study BIGINT NOT NULL, 
	name TEXT NOT NULL, 
	generation BIGINT NOT NULL, 
	settings TEXT NOT NULL, 
	created_at FLOAT NOT NULL, 
	deleted BOOLEAN NOT NULL, 
	PRIMARY KEY (study)
);
INSERT INTO "hippo_study" VALUES(1,'changed',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195339088058465e+09,0);
INSERT INTO "hippo_study" VALUES(2,'changed seeds',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195352243065835e+09,0);
INSERT INTO "hippo_study" VALUES(3,'gone',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195366180491449e+09,1);
INSERT INTO "hippo_study" VALUES(4,'gone seeds (seed 0)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195374760675434e+09,1);
INSERT INTO "hippo_study" VALUES(5,'plain',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195383235979083e+09,0);
INSERT INTO "hippo_study" VALUES(6,'averaged',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195399178409575e+09,0);
INSERT INTO "hippo_study" VALUES(7,'median',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"median\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195428189611436e+09,0);
INSERT INTO "hippo_study" VALUES(8,'private',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": false, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7954219545423927307e+09,0);
INSERT INTO "hippo_study" VALUES(9,'failing',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {"raise_at": 1, "raise_if": {"lr": 0.2}, "raise_in": "train"}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195474137330057e+09,0);
INSERT INTO "hippo_study" VALUES(10,'broken',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195490799498559e+09,0);
INSERT INTO "hippo_study" VALUES(11,'loop (seed 0)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195504101157192e+09,0);
INSERT INTO "hippo_study" VALUES(12,'loop (seed 1)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.7954219551756873131e+09,0);
INSERT INTO "hippo_study" VALUES(13,'alone (seed 5)',1,'{"checkpoints": "memory://", "opened": 0, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195532571983336e+09,0);
INSERT INTO "hippo_study" VALUES(14,'changed',2,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195546011066438e+09,0);
INSERT INTO "hippo_study" VALUES(15,'changed seeds',2,'{"checkpoints": "memory://", "opened": 1, "settings": "{\"aggregate\": \"mean\", \"checkpoint_budget\": 10000000000, \"checkpoint_every_s\": 300.0, \"compile\": false, \"constraints\": [], \"hparams\": null, \"keep\": \"leaves\", \"keep_base\": true, \"nan\": \"fail\", \"nondeterminism\": \"stop\", \"objectives\": [{\"metric\": \"loss\", \"mode\": \"min\"}], \"sharing\": true, \"twin\": false}", "trainer": {"arguments": {}, "code": {"ToyTrainer.__init__ 0": "cb68ad7223e8da3f", "ToyTrainer.__init__ 0 defaults": "fde4d094cd0d0f13", "ToyTrainer._maybe_raise 0": "7cf5efc1940f1e8d", "ToyTrainer._maybe_raise 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.build 0": "8b8cf67bd32bea75", "ToyTrainer.build 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.evaluate 0": "8252b6ef76803015", "ToyTrainer.evaluate 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.load_state_dict 0": "c922b818e1f4a343", "ToyTrainer.load_state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.setup 0": "2034fcffc5a3dc8f", "ToyTrainer.setup 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.state_dict 0": "7a7d1f3b5b266bd2", "ToyTrainer.state_dict 0 defaults": "1cd384b1cf67ef02", "ToyTrainer.train 0": "7b6715b5954a7538", "ToyTrainer.train 0 defaults": "1cd384b1cf67ef02", "bases of ToyTrainer": "400f5612795ecd1d", "function append_line": "ae7abf7b342b83b4", "function append_line defaults": "1cd384b1cf67ef02", "global append_line": "9454dfd1d9db9768", "global os": "ba07f2d3634713da", "global random": "518b65b35a8d34a0", "global threading": "608f85c6b1ff8423"}, "reference": "hippo.testing.trainers:ToyTrainer"}}',1.79542195563886165616e+09,0);
CREATE TABLE hippo_studyplan (
	study BIGINT NOT NULL, 
	member VARCHAR(255) NOT NULL, 
	"plan" BIGINT NOT NULL, 
	position BIGINT NOT NULL, 
	PRIMARY KEY (study, member)
);
INSERT INTO "hippo_studyplan" VALUES(1,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(2,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(2,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(3,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(4,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(5,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(6,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(6,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 10',3,0);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 9',4,1);
INSERT INTO "hippo_studyplan" VALUES(7,'seed 2',5,2);
INSERT INTO "hippo_studyplan" VALUES(8,'seed 0',6,0);
INSERT INTO "hippo_studyplan" VALUES(8,'seed 1',7,1);
INSERT INTO "hippo_studyplan" VALUES(9,'seed 0',8,0);
INSERT INTO "hippo_studyplan" VALUES(9,'seed 1',9,1);
INSERT INTO "hippo_studyplan" VALUES(10,'seed 0',1,0);
INSERT INTO "hippo_studyplan" VALUES(10,'seed 1',2,1);
INSERT INTO "hippo_studyplan" VALUES(11,'',1,0);
INSERT INTO "hippo_studyplan" VALUES(12,'',2,0);
INSERT INTO "hippo_studyplan" VALUES(13,'',10,0);
INSERT INTO "hippo_studyplan" VALUES(14,'',11,0);
INSERT INTO "hippo_studyplan" VALUES(15,'seed 0',11,0);
INSERT INTO "hippo_studyplan" VALUES(15,'seed 1',12,1);
CREATE TABLE hippo_totals (
	"plan" BIGINT NOT NULL, 
	study BIGINT NOT NULL, 
	kind VARCHAR(255) NOT NULL, 
	count BIGINT NOT NULL, 
	seconds FLOAT NOT NULL, 
	furthest BIGINT NOT NULL, 
	mark BIGINT NOT NULL, 
	PRIMARY KEY ("plan", study, kind)
);
CREATE TABLE hippo_trial (
	study BIGINT NOT NULL, 
	number BIGINT NOT NULL, 
	member VARCHAR(255) NOT NULL, 
	call BIGINT NOT NULL, 
	config TEXT NOT NULL, 
	occurrence BIGINT NOT NULL, 
	node BIGINT NOT NULL, 
	until BIGINT NOT NULL, 
	step BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	loss FLOAT, 
	error TEXT NOT NULL, 
	PRIMARY KEY (study, number, member)
);
INSERT INTO "hippo_trial" VALUES(1,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(1,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(1,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(2,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(2,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',3.46702726700412355853e-01,'');
INSERT INTO "hippo_trial" VALUES(2,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(2,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',8.40791501404191121693e-01,'');
INSERT INTO "hippo_trial" VALUES(2,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(2,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',5.48236506016316904599e-01,'');
INSERT INTO "hippo_trial" VALUES(3,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(3,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(3,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(4,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'COMPLETE',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(4,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'COMPLETE',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(4,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,2,2,'COMPLETE',1.30592386278277072797e+00,'');
INSERT INTO "hippo_trial" VALUES(5,0,'',0,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,5,8,8,'COMPLETE',5.36679917211631773987e-01,'');
INSERT INTO "hippo_trial" VALUES(5,1,'',0,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(5,2,'',0,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(5,3,'',1,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,6,3,3,'COMPLETE',5.3663966915495964205e-01,'');
INSERT INTO "hippo_trial" VALUES(5,4,'',2,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,4,4,'COMPLETE',2.23213293678280799703e-01,'');
INSERT INTO "hippo_trial" VALUES(5,5,'',2,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,4,4,'COMPLETE',1.39502269722085259218e+00,'');
INSERT INTO "hippo_trial" VALUES(5,6,'',2,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',5.75038785924799844551e-01,'');
INSERT INTO "hippo_trial" VALUES(6,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',2.97294671509526035879e-02,'');
INSERT INTO "hippo_trial" VALUES(6,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,4,4,4,'COMPLETE',1.47709626774003947857e-02,'');
INSERT INTO "hippo_trial" VALUES(6,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,8,2,2,'PRUNED',2.83731800532720547514e-02,'');
INSERT INTO "hippo_trial" VALUES(6,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,5,2,2,'PRUNED',5.84779541630101734606e-02,'');
INSERT INTO "hippo_trial" VALUES(6,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,9,2,2,'PRUNED',8.11459959902893629424e-02,'');
INSERT INTO "hippo_trial" VALUES(6,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,6,2,2,'PRUNED',8.36383398944945816166e-02,'');
INSERT INTO "hippo_trial" VALUES(6,3,'seed 0',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,10,4,4,'COMPLETE',3.75809936623116500054e-02,'');
INSERT INTO "hippo_trial" VALUES(6,3,'seed 1',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',2.52980538100900827214e-02,'');
INSERT INTO "hippo_trial" VALUES(6,4,'seed 0',0,'{"lr": {"arguments": {"value": 0.4}, "sequence": "Constant"}}',0,11,2,2,'PRUNED',4.14370506144176198315e-01,'');
INSERT INTO "hippo_trial" VALUES(6,4,'seed 1',0,'{"lr": {"arguments": {"value": 0.4}, "sequence": "Constant"}}',0,8,2,2,'PRUNED',2.14043241468818923323e-01,'');
INSERT INTO "hippo_trial" VALUES(6,5,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'PRUNED',7.67991495898189491242e-01,'');
INSERT INTO "hippo_trial" VALUES(6,5,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,2,2,'PRUNED',3.46702726700412355853e-01,'');
INSERT INTO "hippo_trial" VALUES(6,6,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',5.75038785924799844551e-01,'');
INSERT INTO "hippo_trial" VALUES(6,6,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,4,4,'COMPLETE',2.57630818854511778326e-01,'');
INSERT INTO "hippo_trial" VALUES(6,7,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'PRUNED',2.08104129004813209746e+00,'');
INSERT INTO "hippo_trial" VALUES(6,7,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,2,2,'PRUNED',8.40791501404191121693e-01,'');
INSERT INTO "hippo_trial" VALUES(6,8,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,5,8,8,'COMPLETE',5.36679917211631773987e-01,'');
INSERT INTO "hippo_trial" VALUES(6,8,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,8,8,'COMPLETE',2.49982710010650699405e-01,'');
INSERT INTO "hippo_trial" VALUES(6,9,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(6,9,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,9,2,2,'PRUNED',3.46702726700412466875e-01,'');
INSERT INTO "hippo_trial" VALUES(6,10,'seed 0',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,4,2,2,'PRUNED',7.67991495898189602264e-01,'');
INSERT INTO "hippo_trial" VALUES(6,10,'seed 1',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,9,2,2,'PRUNED',3.46702726700412466875e-01,'');
INSERT INTO "hippo_trial" VALUES(6,11,'seed 0',2,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,6,3,3,'COMPLETE',5.3663966915495964205e-01,'');
INSERT INTO "hippo_trial" VALUES(6,11,'seed 1',2,'{"lr": {"arguments": {"value": 0.25}, "sequence": "Constant"}}',0,11,3,3,'COMPLETE',2.88935521222246749495e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',1.33690055788047601481e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',2.66189359571479211563e-01,'');
INSERT INTO "hippo_trial" VALUES(7,0,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',1.63811975665471093455e-01,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',0.0938679365487936,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',1.84298607178509932236e-01,'');
INSERT INTO "hippo_trial" VALUES(7,1,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,3,6,6,'COMPLETE',1.21094118427294880624e-01,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',0.0700027185796051,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',1.24971060851245693856e-01,'');
INSERT INTO "hippo_trial" VALUES(7,2,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',9.4582694223057164895e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 10',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',5.08988176774122780265e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 9',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',8.98643498335482404648e-02,'');
INSERT INTO "hippo_trial" VALUES(7,3,'seed 2',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,5,6,6,'COMPLETE',7.76072621137675194846e-02,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 10',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',1.30757502192459296175e-01,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 9',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',2.3358475248968940674e-01,'');
INSERT INTO "hippo_trial" VALUES(7,4,'seed 2',1,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,6,4,4,'COMPLETE',1.38764190642373469453e-01,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 10',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',9.44504798190313743511e-01,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 9',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',1.72886414607099814233e+00,'');
INSERT INTO "hippo_trial" VALUES(7,5,'seed 2',1,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,7,4,4,'COMPLETE',7.88327548346733797401e-01,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 10',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',3.67052738339105733e-01,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 9',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',0.674444448271187,'');
INSERT INTO "hippo_trial" VALUES(7,6,'seed 2',1,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,8,4,4,'COMPLETE',3.37744321898001131909e-01,'');
INSERT INTO "hippo_trial" VALUES(8,0,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',2.26667199277784642275e-01,'');
INSERT INTO "hippo_trial" VALUES(8,0,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,2,6,6,'COMPLETE',9.64900945672641507933e-02,'');
INSERT INTO "hippo_trial" VALUES(8,1,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',1.49944231051947735045e-01,'');
INSERT INTO "hippo_trial" VALUES(8,1,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [3]}, "sequence": "MultiStep"}}',0,4,6,6,'COMPLETE',7.42565240515961205725e-02,'');
INSERT INTO "hippo_trial" VALUES(8,2,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,6,6,6,'COMPLETE',1.19647556551142481007e-01,'');
INSERT INTO "hippo_trial" VALUES(8,2,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,6,6,6,'COMPLETE',5.16188940089207931594e-02,'');
INSERT INTO "hippo_trial" VALUES(8,3,'seed 0',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,8,6,6,'COMPLETE',7.5508605687154936592e-02,'');
INSERT INTO "hippo_trial" VALUES(8,3,'seed 1',0,'{"lr": {"arguments": {"gamma": 0.5, "initial": 0.3, "milestones": [5]}, "sequence": "MultiStep"}}',0,8,6,6,'COMPLETE',2.66668449025996082135e-02,'');
INSERT INTO "hippo_trial" VALUES(8,4,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,6,6,'COMPLETE',6.07989359678965168853e-01,'');
INSERT INTO "hippo_trial" VALUES(8,4,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [2]}, "sequence": "MultiStep"}}',0,10,6,6,'COMPLETE',0.273178385410801,'');
INSERT INTO "hippo_trial" VALUES(8,5,'seed 0',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,12,6,6,'COMPLETE',1.98057541203323250744e-01,'');
INSERT INTO "hippo_trial" VALUES(8,5,'seed 1',1,'{"lr": {"arguments": {"gamma": 0.1, "initial": 0.3, "milestones": [4]}, "sequence": "MultiStep"}}',0,12,6,6,'COMPLETE',9.68561733671514379917e-02,'');
INSERT INTO "hippo_trial" VALUES(8,6,'seed 0',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,13,6,6,'COMPLETE',6.04907179549777213045e-02,'');
INSERT INTO "hippo_trial" VALUES(8,6,'seed 1',1,'{"lr": {"arguments": {"value": 0.3}, "sequence": "Constant"}}',0,13,6,6,'COMPLETE',2.07266119897596343135e-02,'');
INSERT INTO "hippo_trial" VALUES(9,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(9,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(9,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(9,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(9,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,0,'FAIL',NULL,'train() at step 2: ValueError: told to raise in train after 1 steps');
INSERT INTO "hippo_trial" VALUES(9,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,0,'FAIL',NULL,'train() at step 2: ValueError: told to raise in train after 1 steps');
INSERT INTO "hippo_trial" VALUES(10,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,7,4,4,'PAUSED',2.97294671509526035879e-02,'');
INSERT INTO "hippo_trial" VALUES(10,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.8}, "sequence": "Constant"}}',0,4,4,4,'PAUSED',1.47709626774003947857e-02,'');
INSERT INTO "hippo_trial" VALUES(10,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,8,2,2,'PAUSED',2.83731800532720547514e-02,'');
INSERT INTO "hippo_trial" VALUES(10,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.7000000000000001}, "sequence": "Constant"}}',0,5,2,2,'PAUSED',5.84779541630101734606e-02,'');
INSERT INTO "hippo_trial" VALUES(10,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,9,2,2,'PAUSED',8.11459959902893629424e-02,'');
INSERT INTO "hippo_trial" VALUES(10,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.6000000000000001}, "sequence": "Constant"}}',0,6,2,2,'PAUSED',8.36383398944945816166e-02,'');
INSERT INTO "hippo_trial" VALUES(10,3,'seed 0',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,10,2,2,'PAUSED',1.98702824463176247471e-01,'');
INSERT INTO "hippo_trial" VALUES(10,3,'seed 1',0,'{"lr": {"arguments": {"value": 0.5}, "sequence": "Constant"}}',0,7,2,2,'PAUSED',1.31486903251190723196e-01,'');
INSERT INTO "hippo_trial" VALUES(11,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(11,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(11,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(12,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(12,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(12,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',3.90969371771953733141e-01,'');
INSERT INTO "hippo_trial" VALUES(13,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.53827371313222671656e-01,'');
INSERT INTO "hippo_trial" VALUES(13,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.51430391728925428651e+00,'');
INSERT INTO "hippo_trial" VALUES(13,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',7.62230500362588214713e-01,'');
INSERT INTO "hippo_trial" VALUES(14,0,'',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(14,1,'',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(14,2,'',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(15,0,'seed 0',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',3.45638270230657129733e-01,'');
INSERT INTO "hippo_trial" VALUES(15,0,'seed 1',0,'{"lr": {"arguments": {"value": 0.30000000000000004}, "sequence": "Constant"}}',0,1,3,3,'COMPLETE',2.13635367870146281044e-01,'');
INSERT INTO "hippo_trial" VALUES(15,1,'seed 0',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',1.66318777143168805565e+00,'');
INSERT INTO "hippo_trial" VALUES(15,1,'seed 1',0,'{"lr": {"arguments": {"value": 0.1}, "sequence": "Constant"}}',0,2,3,3,'COMPLETE',7.08206289087999762976e-01,'');
INSERT INTO "hippo_trial" VALUES(15,2,'seed 0',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',8.04514625030380292614e-01,'');
INSERT INTO "hippo_trial" VALUES(15,2,'seed 1',0,'{"lr": {"arguments": {"value": 0.2}, "sequence": "Constant"}}',0,3,3,3,'COMPLETE',3.90969371771953733141e-01,'');
CREATE INDEX hippo_node_by_digest ON hippo_node ("plan", digest, node);
CREATE INDEX hippo_checkpoint_by_node ON hippo_checkpoint ("plan", node);
CREATE INDEX hippo_failure_by_node ON hippo_failure ("plan", node);
CREATE INDEX hippo_lease_by_end ON hippo_lease ("plan", ended, lease);
CREATE INDEX hippo_call_by_position ON hippo_call (study, position);
CREATE INDEX hippo_trial_by_loss ON hippo_trial (study, state, loss, number, call, step);
CREATE INDEX hippo_trial_by_call ON hippo_trial (study, call);
CREATE INDEX hippo_request_by_call ON hippo_request (study, call);
COMMIT;
